//! The lines of work that a message is compared with; their number does not grow with the history.

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{DcnId, History, MatchingConfig, TermSet};

/// Terms in more messages than this say nothing about a line of work.
const COMMON_TERM_MESSAGES: usize = 256;
/// Latest messages of a term that are looked at.
const MESSAGES_PER_TERM: usize = 4;

/// The most recently active lines of work, and those that share the most rare terms with `terms`.
/// Ascending by id, without repeats.
pub(crate) fn candidates(
    terms: &TermSet,
    history: &History,
    config: &MatchingConfig,
) -> Vec<DcnId> {
    let recent = history.recently_active().take(config.recent_candidates);
    let mut candidates: Vec<DcnId> = recent.collect();
    let mut evidence: Vec<(DcnId, f64)> = evidence(terms, history).into_iter().collect();
    evidence.retain(|(dcn, _)| !candidates.contains(dcn));
    evidence.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let further = evidence.iter().take(config.evidence_candidates);
    candidates.extend(further.map(|(dcn, _)| *dcn));
    candidates.sort_unstable();
    candidates
}

/// The weight of shared rare terms per line of work: each term counts one over its messages.
fn evidence(terms: &TermSet, history: &History) -> FxHashMap<DcnId, f64> {
    let capacity = terms.len() * MESSAGES_PER_TERM;
    let mut weights = FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher);
    for term in terms.iter() {
        let messages = history.with_term(term);
        if messages.len() > COMMON_TERM_MESSAGES {
            continue;
        }
        for id in messages.iter().rev().take(MESSAGES_PER_TERM) {
            for dcn in history.dcns_of(*id) {
                *weights.entry(dcn).or_default() += 1.0 / messages.len() as f64;
            }
        }
    }
    weights
}
