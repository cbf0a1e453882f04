//! The fourth stage: of what contradicts each other, what holds for this caller.

use std::collections::HashSet;

use super::tiers::{TierRules, other_entity};
use super::{Retrieval, Stage};
use crate::PipelineError;

/// Drops what holds for another entity than the one that the question names or the caller holds,
/// rules for other tiers, and repetitions. Expiry, `supersedes`, authority and version are
/// resolved by the store before anything is compared.
#[derive(Debug)]
pub struct Resolve;

impl Stage for Resolve {
    fn name(&self) -> &'static str {
        "resolve"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let rules = TierRules::of(&retrieval.candidates, &retrieval.held);
        let mut seen = HashSet::new();
        let reasons: Vec<Option<String>> = retrieval
            .candidates
            .iter()
            .map(|candidate| {
                let unit = &candidate.unit.unit;
                if let Some(attribute) = other_entity(unit, &retrieval.held) {
                    return Some(format!("it holds for another {attribute}"));
                }
                if rules.exclude(unit) {
                    return Some("it is the rule of another tier".to_owned());
                }
                let new = seen.insert(unit.content.as_str());
                (!new).then(|| "its text stands among the candidates already".to_owned())
            })
            .collect();
        let mut notes = Vec::new();
        let mut reasons = reasons.into_iter();
        retrieval.candidates.retain(|candidate| {
            let Some(reason) = reasons.next().flatten() else {
                return true;
            };
            let unit = &candidate.unit.unit;
            let id: String = unit.id.to_string().chars().take(8).collect();
            notes.push(format!("{id} of {} left out: {reason}", unit.source));
            false
        });
        Ok(notes)
    }
}
