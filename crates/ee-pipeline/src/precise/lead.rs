//! What the graph adds to probabilities.

use std::collections::HashMap;

use ee_store::UnitKey;
use km_core::Attributes;

use super::tiers::{TierRules, holds};
use super::{Candidate, Retrieval};

/// Raises what holds for a held entity, and lets the fact that a held tier's rule leads to stand
/// at least as high as the passage that states the rule: of the units with that rule, the one
/// nearest to the fact in meaning. Gives back which candidates such a fact is.
pub(super) fn follow(retrieval: &Retrieval<'_>, bonus: f64) -> Vec<(f32, bool)> {
    let candidates = &retrieval.candidates;
    let raised: HashMap<UnitKey, f32> = candidates
        .iter()
        .map(|one| (one.unit.key, raised(one, &retrieval.held, bonus)))
        .collect();
    let rules = TierRules::of(candidates, &retrieval.held);
    let vectors = vectors(retrieval);
    let of = |candidate: &Candidate| {
        let own = raised.get(&candidate.unit.key).copied().unwrap_or_default();
        let closeness = |leader: &&Candidate| {
            let near = |key| vectors.get(&key).map(Vec::as_slice).unwrap_or_default();
            dot(near(leader.unit.key), near(candidate.unit.key))
        };
        let leaders = rules.leaders(&candidate.unit.unit);
        let leader = leaders.max_by(|a, b| {
            let order = closeness(a).total_cmp(&closeness(b));
            order.then(b.unit.key.cmp(&a.unit.key))
        });
        match leader.and_then(|leader| raised.get(&leader.unit.key)) {
            Some(led) => (own.max(*led), true),
            None => (own, false),
        }
    };
    candidates.iter().map(of).collect()
}

/// The probability with the bonus on its log-odds where the unit holds for a held entity.
fn raised(candidate: &Candidate, held: &Attributes, bonus: f64) -> f32 {
    let probability = f64::from(candidate.probability);
    if !holds(&candidate.unit.unit, held) {
        return candidate.probability;
    }
    let odds = probability / (1.0 - probability).max(f64::MIN_POSITIVE) * bonus.exp();
    (odds / (1.0 + odds)).min(1.0) as f32
}

/// Vectors of units with rules and of what they lead to; none where no rule stands.
fn vectors(retrieval: &Retrieval<'_>) -> HashMap<UnitKey, Vec<f32>> {
    let candidates = retrieval.candidates.iter();
    let has_rules = |one: &Candidate| !one.unit.unit.metadata.tier_rules.is_empty();
    if !candidates.clone().any(has_rules) {
        return HashMap::new();
    }
    let keys: Vec<UnitKey> = candidates.map(|one| one.unit.key).collect();
    let vectors = retrieval.knowledge.stored_vectors(&keys);
    let known = keys.into_iter().zip(vectors);
    known
        .filter_map(|(key, vector)| Some((key, vector?)))
        .collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
