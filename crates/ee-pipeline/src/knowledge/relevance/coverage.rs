//! How much of a question's terms a text covers.

use std::collections::HashSet;

use ee_store::{QueryTerms, TermStatistics};
use km_core::Unit;

/// The least that a term weighs, so that one that every unit holds still counts a little.
const LEAST_WEIGHT: f32 = 0.02;
/// How far an inflection of a term covers it.
const INFLECTED: f32 = 0.8;
/// How far a compound with a term in it, or a part of it, covers it.
const COMPOUND: f32 = 0.7;

/// A question's terms with their weights.
pub(in crate::knowledge) struct Coverage {
    terms: Vec<(String, f32)>,
}

impl Coverage {
    /// Weighs terms by their inverse document frequency; one that no unit holds weighs 1.
    pub(in crate::knowledge) fn new(query: &QueryTerms) -> Self {
        let most = query.idf(0).max(f32::MIN_POSITIVE);
        let weight = |units| (query.idf(units) / most).clamp(LEAST_WEIGHT, 1.0);
        let terms = query
            .terms
            .iter()
            .map(|term| (term.term.clone(), weight(term.units)));
        Self {
            terms: terms.collect(),
        }
    }

    /// The covered share of the question's weight, 0–1; 0 for a question without terms.
    pub(in crate::knowledge) fn of(&self, unit: &Unit, statistics: &dyn TermStatistics) -> f32 {
        let title = unit.metadata.title.as_deref().unwrap_or_default();
        let held = statistics.document_terms(&format!("{title} {}", unit.content));
        let all: f32 = self.terms.iter().map(|(_, weight)| weight).sum();
        let covered: f32 = self
            .terms
            .iter()
            .map(|(term, weight)| weight * best_match(term, &held))
            .sum();
        if all > 0.0 { covered / all } else { 0.0 }
    }
}

/// 1 for a term that is held, less for one whose inflection or compound is.
fn best_match(term: &str, held: &HashSet<String>) -> f32 {
    if held.contains(term) {
        return 1.0;
    }
    held.iter()
        .map(|other| likeness(term, other))
        .fold(0.0, f32::max)
}

/// Bytes are compared first: nearly all pairs differ there, and characters take longer.
fn likeness(a: &str, b: &str) -> f32 {
    let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if longer.as_bytes().get(..4) == shorter.as_bytes().get(..4) && is_inflection(shorter, longer) {
        INFLECTED
    } else if shorter.len() >= 5 && shorter.chars().nth(4).is_some() && longer.contains(shorter) {
        COMPOUND
    } else {
        0.0
    }
}

/// Whether two terms share four characters at least and differ in the last three at most.
fn is_inflection(a: &str, b: &str) -> bool {
    let (length_a, length_b) = (a.chars().count(), b.chars().count());
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    shared >= 4 && length_a.max(length_b) - shared <= 3
}

#[cfg(test)]
mod tests {
    use ee_store::QueryTerm;

    use super::*;

    fn held(terms: &[&str]) -> HashSet<String> {
        terms.iter().map(|&term| term.to_owned()).collect()
    }

    #[test]
    fn terms_match_across_inflections_and_compounds() {
        let text = held(&["urlaubstage", "rebase", "年假"]);
        for (term, expected) in [
            ("rebase", 1.0),
            ("rebasing", INFLECTED),
            ("urlaub", COMPOUND),
            ("年假", 1.0),
            ("年", 0.0),
            ("tag", 0.0),
        ] {
            let found = best_match(term, &text);
            assert!((found - expected).abs() < f32::EPSILON, "{term}: {found}");
        }
    }

    #[test]
    fn rare_terms_weigh_more_and_unknown_ones_most() {
        let term = |term: &str, units| QueryTerm {
            term: term.to_owned(),
            units,
        };
        let terms = vec![term("the", 100), term("rare", 1), term("unknown", 0)];
        let coverage = Coverage::new(&QueryTerms { terms, units: 100 });
        let weights: Vec<f32> = coverage.terms.iter().map(|(_, weight)| *weight).collect();
        assert!((weights[0] - LEAST_WEIGHT).abs() < f32::EPSILON);
        assert!(weights[0] < weights[1] && weights[1] < weights[2]);
        assert!((weights[2] - 1.0).abs() < f32::EPSILON);
    }
}
