//! What the graph adds to probabilities.

use std::collections::{HashMap, HashSet};

use ee_store::{UnitKey, document_terms};
use km_core::{Attributes, Unit};

use super::tiers::{TierRules, holds};
use super::{Candidate, Retrieval};

/// A candidate's probability once the graph is taken into account.
pub(super) struct Followed {
    pub(super) probability: f32,
    /// Whether a held tier's rule leads to it.
    pub(super) led: bool,
}

/// Raises what holds for a held entity, and lets the fact that a held tier's rule leads to stand
/// at least as high as the passage that states the rule: of the units with that rule, the one that
/// shares most with the fact. One entry per candidate, in their order.
pub(super) fn follow(retrieval: &Retrieval<'_>, bonus: f64) -> Vec<Followed> {
    let candidates = &retrieval.candidates;
    let raised: HashMap<UnitKey, f32> = candidates
        .iter()
        .map(|one| (one.unit.key, raised(one, &retrieval.held, bonus)))
        .collect();
    let of = |key: UnitKey| raised.get(&key).copied().unwrap_or_default();
    let rules = TierRules::of(candidates, &retrieval.held);
    let followed = |candidate: &Candidate| {
        let own = of(candidate.unit.key);
        let leaders: Vec<&Candidate> = rules.leaders(&candidate.unit.unit).collect();
        let leader = closest(&leaders, &candidate.unit.unit);
        Followed {
            probability: leader.map_or(own, |leader| own.max(of(leader.unit.key))),
            led: leader.is_some(),
        }
    };
    candidates.iter().map(followed).collect()
}

/// The probability with the bonus on its log-odds where the unit holds for a held entity.
fn raised(candidate: &Candidate, held: &Attributes, bonus: f64) -> f32 {
    if !holds(&candidate.unit.unit, held) {
        return candidate.probability;
    }
    let probability = f64::from(candidate.probability);
    let odds = probability / (1.0 - probability).max(f64::MIN_POSITIVE) * bonus.exp();
    (odds / (1.0 + odds)).min(1.0) as f32
}

/// The leader that shares most terms with the fact, a term weighing more the fewer leaders have
/// it; equal ones in the order of their keys.
fn closest<'a>(leaders: &[&'a Candidate], fact: &Unit) -> Option<&'a Candidate> {
    let terms = leaders.iter().map(|leader| own_terms(&leader.unit.unit));
    let terms: Vec<HashSet<String>> = terms.collect();
    let mut wanted = own_terms(fact);
    wanted.extend(document_terms(
        fact.metadata.title.as_deref().unwrap_or_default(),
    ));
    let weight = |term: &String| {
        let having = terms.iter().filter(|terms| terms.contains(term)).count();
        (1.0 + terms.len() as f64 / having.max(1) as f64).ln()
    };
    let shared = |terms: &HashSet<String>| wanted.intersection(terms).map(weight).sum::<f64>();
    let scored = leaders.iter().zip(terms.iter().map(shared));
    let best = scored.max_by(|(a, shares_a), (b, shares_b)| {
        let order = shares_a.total_cmp(shares_b);
        order.then(b.unit.key.cmp(&a.unit.key))
    });
    best.map(|(leader, _)| *leader)
}

/// The terms of a unit's text and of the heading right above it.
fn own_terms(unit: &Unit) -> HashSet<String> {
    let heading = unit.metadata.section_path.last();
    let heading = heading.map(String::as_str).unwrap_or_default();
    document_terms(&format!("{heading}\n{}", unit.content))
        .into_iter()
        .collect()
}
