//! The fourth stage: of what contradicts each other, what holds for this caller.

use std::collections::HashSet;

use km_core::Unit;

use super::tiers::{TierRules, other_entity};
use super::trace::short;
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
        let reasons = reasons(retrieval);
        let (mut reasons, mut notes) = (reasons.into_iter(), Vec::new());
        retrieval.candidates.retain(|candidate| {
            let reason = reasons.next().flatten();
            let unit = &candidate.unit.unit;
            let left_out =
                |reason| format!("{} of {} left out: {reason}", short(unit.id), unit.source);
            let kept = reason.is_none();
            notes.extend(reason.map(left_out));
            kept
        });
        Ok(notes)
    }
}

/// Why each candidate is left out; absent for those that stay.
fn reasons(retrieval: &Retrieval<'_>) -> Vec<Option<String>> {
    let rules = TierRules::of(&retrieval.candidates, &retrieval.held);
    let mut seen = HashSet::new();
    let mut reason = |unit: &Unit| {
        if let Some(attribute) = other_entity(unit, &retrieval.held) {
            return Some(format!("it holds for another {attribute}"));
        }
        if rules.exclude(unit) {
            return Some("it is the rule of another tier".to_owned());
        }
        let new = seen.insert(unit.content.clone());
        (!new).then(|| "its text stands among the candidates already".to_owned())
    };
    let candidates = retrieval.candidates.iter();
    candidates.map(|one| reason(&one.unit.unit)).collect()
}
