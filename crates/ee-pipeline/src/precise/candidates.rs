//! The second stage: candidates from both sides of the search.

use std::collections::{BTreeMap, BTreeSet};

use ee_store::UnitKey;

use super::{Candidate, Origin, PreciseConfig, Retrieval, Stage};
use crate::PipelineError;
use crate::knowledge::{FoundUnits, FusionInput, best_first};

/// Takes candidates from dense search and full text, also among the units that hold for a named
/// entity, and fuses their scores.
#[derive(Debug)]
pub struct Candidates {
    config: PreciseConfig,
}

/// Found units with their fusion scores, best first.
type Ranked = Vec<(FusionInput, f32)>;

impl Candidates {
    /// The stage under these settings.
    pub fn new(config: PreciseConfig) -> Self {
        Self { config }
    }

    /// What the scope sees, and of it what holds for a named entity.
    fn find(&self, retrieval: &Retrieval<'_>) -> Result<(FoundUnits, FoundUnits), PipelineError> {
        let (knowledge, request) = (retrieval.knowledge, retrieval.request);
        let vector = Some(retrieval.embedding.as_slice());
        let limit = self.config.candidates;
        let mut found = FoundUnits::new();
        let visible = |key| retrieval.visible.contains(key);
        knowledge.find(Some(&request.query), vector, limit, &visible, &mut found)?;
        let mut routed = FoundUnits::new();
        if !retrieval.entities.is_empty() && self.config.routed > 0 {
            let store = &knowledge.parts.store;
            let units = store.units_of_entities(&request.scope, &retrieval.entities)?;
            let holds = |key| units.contains(key);
            let limit = self.config.routed;
            knowledge.find(Some(&request.query), vector, limit, &holds, &mut routed)?;
            routed.retain(|key, _| !found.contains_key(key));
        }
        Ok((found, routed))
    }

    /// The best of what was found by search, and everything that a route added.
    fn rank(
        &self,
        retrieval: &Retrieval<'_>,
        inputs: Vec<FusionInput>,
        routed: &BTreeSet<UnitKey>,
    ) -> Ranked {
        let fused = retrieval.knowledge.fuse(&inputs, retrieval.boosts);
        let mut ranked: Ranked = inputs.into_iter().zip(fused).collect();
        ranked.sort_by(|a, b| best_first((a.1, a.0.key), (b.1, b.0.key)));
        let mut left = self.config.candidates;
        ranked.retain(|(input, _)| {
            let by_route = routed.contains(&input.key);
            let kept = by_route || left > 0;
            left -= usize::from(kept && !by_route);
            kept
        });
        ranked
    }
}

impl Stage for Candidates {
    fn name(&self) -> &'static str {
        "candidates"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let (found, routed) = self.find(retrieval)?;
        let by_route: BTreeSet<UnitKey> = routed.keys().copied().collect();
        let notes = vec![
            format!("{} by dense search and full text", found.len()),
            format!("{} more by route", routed.len()),
        ];
        let inputs = found.into_values().chain(routed.into_values()).collect();
        let ranked = self.rank(retrieval, inputs, &by_route);
        retrieval.candidates = fetch(retrieval, &ranked, &by_route)?;
        Ok(notes)
    }
}

/// The units of a ranking. One that was removed a moment ago is left out.
fn fetch(
    retrieval: &Retrieval<'_>,
    ranked: &Ranked,
    by_route: &BTreeSet<UnitKey>,
) -> Result<Vec<Candidate>, PipelineError> {
    let keys: Vec<UnitKey> = ranked.iter().map(|(input, _)| input.key).collect();
    let scores: BTreeMap<UnitKey, &(FusionInput, f32)> =
        ranked.iter().map(|scored| (scored.0.key, scored)).collect();
    let store = &retrieval.knowledge.parts.store;
    let units = store.units(&retrieval.request.scope, &keys)?;
    let candidates = units.into_iter().filter_map(|unit| {
        let (input, fused) = scores.get(&unit.key)?;
        let origin = if by_route.contains(&unit.key) {
            Origin::Route
        } else {
            Origin::Search
        };
        Some(Candidate {
            cosine: input.cosine,
            bm25: input.bm25,
            ..Candidate::new(unit, *fused, origin)
        })
    });
    Ok(candidates.collect())
}
