//! The third stage: what the best candidates lead to over links.

use std::collections::HashMap;

use km_core::{LinkKind, UnitId, walk_links};

use super::trace::short;
use super::{Candidate, Origin, PreciseConfig, Retrieval, Stage};
use crate::PipelineError;

/// Follows the links of the best candidates and of those found by route, within bounds. A unit
/// that a rule for a tier leads to starts with its leader's score, any other with a share of it.
#[derive(Debug)]
pub struct Expand {
    config: PreciseConfig,
}

impl Expand {
    /// The stage under these settings.
    pub fn new(config: PreciseConfig) -> Self {
        Self { config }
    }

    fn starts(&self, retrieval: &Retrieval<'_>) -> HashMap<UnitId, f32> {
        let candidates = retrieval.candidates.iter().enumerate();
        let starts = candidates.filter(|(place, candidate)| {
            *place < self.config.expand_from || candidate.origin == Origin::Route
        });
        starts
            .map(|(_, candidate)| (candidate.unit.unit.id, candidate.fused))
            .collect()
    }

    fn share(&self, kind: LinkKind) -> f32 {
        if kind == LinkKind::TierRule {
            1.0
        } else {
            self.config.link_share as f32
        }
    }
}

impl Stage for Expand {
    fn name(&self) -> &'static str {
        "expand"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let store = &retrieval.knowledge.parts.store;
        let scope = &retrieval.request.scope;
        let mut scores = self.starts(retrieval);
        let mut starts: Vec<UnitId> = scores.keys().copied().collect();
        starts.sort_unstable();
        let bounds = self.config.bounds(starts.len());
        let reached = walk_links(&starts, &bounds, |units| store.links_of(scope, units))?;
        let mut origins = HashMap::new();
        for step in &reached {
            if let Some((from, kind)) = step.via {
                let leader = scores.get(&from).copied().unwrap_or_default();
                scores.insert(step.unit, leader * self.share(kind));
                origins.insert(step.unit, Origin::Link { from, kind });
            }
        }
        raise(retrieval, &scores, &mut origins);
        let ids: Vec<UnitId> = reached
            .iter()
            .map(|step| step.unit)
            .filter(|unit| origins.contains_key(unit))
            .collect();
        let units = store.units_by_id(scope, &ids)?;
        let keys: Vec<_> = units.iter().map(|unit| unit.key).collect();
        let cosines = retrieval.knowledge.cosines(&retrieval.embedding, &keys)?;
        let added: Vec<Candidate> = units
            .into_iter()
            .zip(cosines)
            .filter_map(|(unit, cosine)| {
                let id = unit.unit.id;
                let (fused, origin) = (scores.get(&id)?, origins.get(&id)?);
                let candidate = Candidate::new(unit, *fused, *origin);
                Some(Candidate {
                    cosine,
                    ..candidate
                })
            })
            .collect();
        let notes = added.iter().map(note).collect();
        retrieval.candidates.extend(added);
        retrieval.sort_by_fusion();
        Ok(notes)
    }
}

/// A candidate that is reached over a link too keeps the better of its scores; what remains in
/// `origins` is new.
fn raise(
    retrieval: &mut Retrieval<'_>,
    scores: &HashMap<UnitId, f32>,
    origins: &mut HashMap<UnitId, Origin>,
) {
    for candidate in &mut retrieval.candidates {
        let id = candidate.unit.unit.id;
        if origins.remove(&id).is_some()
            && let Some(score) = scores.get(&id)
        {
            candidate.fused = candidate.fused.max(*score);
        }
    }
}

fn note(candidate: &Candidate) -> String {
    let id = short(candidate.unit.unit.id);
    match candidate.origin {
        Origin::Link { from, kind } => format!("{id} from {} by {kind}", short(from)),
        Origin::Search | Origin::Route => id,
    }
}
