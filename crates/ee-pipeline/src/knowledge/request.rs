//! What goes into a search and what comes out.

use std::collections::BTreeMap;

use ee_store::{StoredUnit, UnitKey};
use km_core::AccessScope;
use serde::{Deserialize, Serialize};

use crate::precise::{BlendEvidence, ContextFrame, MinimumContext, Origin, StageTrace};

/// Which ranking answers a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SearchSystem {
    /// Full text alone.
    Bm25,
    /// Embeddings alone.
    Dense,
    /// Both, fused.
    #[default]
    Hybrid,
    /// The precision pipeline: both, followed over links, resolved, read by the cross-encoder.
    Precise,
}

impl SearchSystem {
    /// The name of the scale that this ranking's scores are on.
    pub fn scale(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::Dense => "cosine",
            Self::Hybrid => "fused 0-1",
            Self::Precise => "probability",
        }
    }
}

/// A search on somebody's behalf.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The question, as plain text.
    pub query: String,
    /// How many units to return.
    pub k: usize,
    /// Which ranking.
    pub system: SearchSystem,
    /// On whose behalf.
    pub scope: AccessScope,
}

/// Units that move up, for example because they belong to the lines of work in progress.
///
/// A boost is added to the fused score of a unit that is a candidate anyway; it never makes a
/// candidate of one that is not, and it applies to [`SearchSystem::Hybrid`] alone, whose scale is
/// known. The sum is kept within 0–1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoostSet {
    boosts: BTreeMap<UnitKey, f32>,
}

impl BoostSet {
    /// Boosts by unit, each taken as a number from 0 to 1 (1 for anything above, 0 for anything
    /// below or undefined) and scaled by [`crate::SearchConfig::max_boost`].
    pub fn new(boosts: impl IntoIterator<Item = (UnitKey, f32)>) -> Self {
        let bounded = |boost: f32| {
            if boost.is_nan() {
                0.0
            } else {
                boost.clamp(0.0, 1.0)
            }
        };
        Self {
            boosts: boosts
                .into_iter()
                .map(|(key, boost)| (key, bounded(boost)))
                .collect(),
        }
    }

    /// The boost of a unit, 0–1.
    pub fn of(&self, key: UnitKey) -> f32 {
        self.boosts.get(&key).copied().unwrap_or(0.0)
    }
}

/// Ranked units.
#[derive(Debug)]
pub struct SearchResponse {
    /// Best first; equal scores in the order of the units' keys.
    pub hits: Vec<SearchHit>,
    /// Milliseconds spent embedding the query.
    pub embed_milliseconds: f64,
    /// Milliseconds spent on everything else.
    pub search_milliseconds: f64,
    /// What each stage of the precision pipeline did; empty for other rankings.
    pub stages: Vec<StageTrace>,
    /// How many of the hits make the context; absent for other rankings.
    pub context: Option<MinimumContext>,
    /// The context as the model sees it; absent for other rankings.
    pub frame: Option<ContextFrame>,
}

/// One ranked unit.
#[derive(Debug, Clone)]
pub struct SearchHit {
    /// The unit.
    pub unit: StoredUnit,
    /// The score that ranks it, on the scale of the system: BM25, cosine, fused 0–1, or the
    /// probability to be relevant.
    pub score: f32,
    /// Cosine to the query, in −1 to 1; absent for full text alone.
    pub cosine: Option<f32>,
    /// BM25, where the text matched.
    pub bm25: Option<f32>,
    /// What the probability of the precision pipeline rests on; absent for other rankings.
    pub evidence: Option<BlendEvidence>,
    /// How it was found.
    pub origin: Origin,
    /// The estimated probability that the unit answers the question, 0–1; see
    /// [`crate::RelevanceConfig`] for what it rests on and how deep hits are estimated. 0 for full
    /// text alone; for the precision pipeline the score.
    pub relevance: f32,
}
