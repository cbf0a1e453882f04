//! A retrieval under way: what the stages read and change.

use std::time::Duration;

use ee_store::{StoredUnit, VisibleUnits};
use km_core::{Attributes, Entity, LinkKind, UnitId};
use serde::Serialize;

use super::{BlendEvidence, ContextFrame, MinimumContext};
use crate::knowledge::best_first;
use crate::{BoostSet, KnowledgeBase, SearchRequest};

/// A retrieval under way. A stage of one's own reads the request and changes candidates, context
/// and frame; whatever it adds must come from a read under the request's scope.
pub struct Retrieval<'a> {
    /// The request.
    pub request: &'a SearchRequest,
    /// Units that move up.
    pub boosts: &'a BoostSet,
    /// The knowledge base that is searched.
    pub knowledge: &'a KnowledgeBase,
    /// The question's vector, once it is known.
    pub embedding: Vec<f32>,
    /// How long embedding it took.
    pub embedding_time: Duration,
    /// What the scope sees.
    pub visible: VisibleUnits,
    /// For each attribute what the question names, else what the caller holds.
    pub held: Attributes,
    /// Entities of the graph that the question names or the caller holds.
    pub entities: Vec<Entity>,
    /// The candidates, best first.
    pub candidates: Vec<Candidate>,
    /// How many of them make the context, once that is decided.
    pub context: Option<MinimumContext>,
    /// The context as the model sees it.
    pub frame: Option<ContextFrame>,
}

/// A unit that may be relevant.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The unit.
    pub unit: StoredUnit,
    /// Cosine to the question, −1 to 1.
    pub cosine: Option<f32>,
    /// BM25, where the text matched.
    pub bm25: Option<f32>,
    /// The fusion score, 0–1; for a unit reached over a link a share of its leader's.
    pub fused: f32,
    /// The cross-encoder's logit, where it read the unit.
    pub logit: Option<f32>,
    /// What the probability rests on; absent before the stage `rerank`.
    pub evidence: Option<BlendEvidence>,
    /// The estimated probability to be relevant, 0–1; 0 before the stage `rerank`.
    pub probability: f32,
    /// How it was found.
    pub origin: Origin,
}

/// How a candidate was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// By search.
    Search,
    /// By search among what holds for a named entity.
    Route,
    /// Over a link.
    Link {
        /// The unit that it was reached from.
        from: UnitId,
        /// The kind of link.
        kind: LinkKind,
    },
}

impl Candidate {
    /// A candidate that only its fusion score is known of.
    pub fn new(unit: StoredUnit, fused: f32, origin: Origin) -> Self {
        Self {
            unit,
            cosine: None,
            bm25: None,
            fused,
            logit: None,
            evidence: None,
            probability: 0.0,
            origin,
        }
    }
}

impl Retrieval<'_> {
    /// Brings the candidates into the order of their fusion scores.
    pub(super) fn sort_by_fusion(&mut self) {
        self.candidates
            .sort_by(|a, b| best_first((a.fused, a.unit.key), (b.fused, b.unit.key)));
    }

    /// How many candidates there are, or units of the context once that is decided.
    pub fn count(&self) -> usize {
        self.context
            .map_or(self.candidates.len(), |context| context.units)
    }
}
