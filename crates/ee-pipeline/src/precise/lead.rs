//! What the graph adds: which passage leads to which fact, and what holds for whom.

use std::collections::HashSet;

use ee_store::document_terms;
use km_core::Unit;

use super::tiers::{TierRules, holds};
use super::{Candidate, Retrieval};
use crate::logistic::logistic;

/// A candidate's probability once the graph is taken into account.
pub(super) struct Followed {
    pub(super) probability: f32,
    /// Whether a held tier's rule leads to it.
    pub(super) led: bool,
}

/// For every candidate the place of the passage that leads to it: of the units whose rule for a
/// held tier leads there, the one that names the fact best.
pub(super) fn leaders(retrieval: &Retrieval<'_>) -> Vec<Option<usize>> {
    let candidates = &retrieval.candidates;
    let rules = TierRules::of(candidates, &retrieval.held);
    let of = |candidate: &Candidate| {
        let fact = &candidate.unit.unit;
        let leading: Vec<&Candidate> = rules.leaders(fact).collect();
        let closest = closest(&leading, fact)?;
        let same = |one: &Candidate| one.unit.key == closest.unit.key;
        candidates.iter().position(same)
    };
    candidates.iter().map(of).collect()
}

/// Raises what holds for a held entity, led facts among it, and lets a fact stand at least as high
/// as the passage that leads to it. One entry per candidate, in their order.
pub(super) fn follow(
    retrieval: &Retrieval<'_>,
    leaders: &[Option<usize>],
    bonus: f64,
) -> Vec<Followed> {
    let candidates = retrieval.candidates.iter().zip(leaders);
    let raised: Vec<f32> = candidates
        .map(|(one, leader)| {
            let holds = leader.is_some() || holds(&one.unit.unit, &retrieval.held);
            raised(one.probability, if holds { bonus } else { 0.0 })
        })
        .collect();
    let of = |(own, leader): (&f32, &Option<usize>)| {
        let led = leader.and_then(|place| raised.get(place));
        Followed {
            probability: led.map_or(*own, |led| own.max(*led)),
            led: led.is_some(),
        }
    };
    raised.iter().zip(leaders).map(of).collect()
}

/// The probability with the bonus on its log-odds.
fn raised(probability: f32, bonus: f64) -> f32 {
    let probability = f64::from(probability);
    logistic((probability / (1.0 - probability)).ln() + bonus) as f32
}

/// The leader whose text holds most terms of the fact's title and headings, a term weighing more
/// the fewer leaders hold it; equal ones in the order of their keys.
fn closest<'a>(leaders: &[&'a Candidate], fact: &Unit) -> Option<&'a Candidate> {
    let held: Vec<HashSet<String>> = leaders.iter().map(|one| terms_of_text(one)).collect();
    let names = fact
        .metadata
        .title
        .iter()
        .chain(&fact.metadata.section_path);
    let mut names: HashSet<String> = names.flat_map(|name| document_terms(name)).collect();
    // To what the policy is called, every passage of it would be near.
    for leader in leaders {
        let title = leader.unit.unit.metadata.title.as_deref();
        for term in document_terms(title.unwrap_or_default()) {
            names.remove(&term);
        }
    }
    let weight = |term: &String| {
        let having = held.iter().filter(|terms| terms.contains(term)).count();
        (1.0 + held.len() as f64 / having.max(1) as f64).ln()
    };
    let shared = |terms: &HashSet<String>| names.intersection(terms).map(weight).sum::<f64>();
    let scored = leaders.iter().zip(held.iter().map(shared));
    let best = scored.max_by(|(a, shares_a), (b, shares_b)| {
        let order = shares_a.total_cmp(shares_b);
        order.then(b.unit.key.cmp(&a.unit.key))
    });
    best.map(|(leader, _)| *leader)
}

/// The terms of a candidate's text and of the heading right above it.
fn terms_of_text(candidate: &Candidate) -> HashSet<String> {
    let unit = &candidate.unit.unit;
    let heading = unit.metadata.section_path.last();
    let heading = heading.map(String::as_str).unwrap_or_default();
    document_terms(&format!("{heading}\n{}", unit.content))
        .into_iter()
        .collect()
}
