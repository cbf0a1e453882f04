//! Which earlier messages bear on a query: a logistic model over the evidence of each.

use crate::assemble::RELEVANCE;
use crate::continuity::stage::strongest;
use crate::continuity::{SelectionWeights, Signal};

/// The weights for selecting earlier messages, laid out like the evidence.
#[derive(Debug, Clone)]
pub struct SelectionModel {
    weights: [f64; RELEVANCE.len()],
}

impl SelectionModel {
    /// A model with these weights.
    pub fn new(weights: &SelectionWeights) -> Self {
        Self {
            weights: weights.dense(),
        }
    }

    /// A score from 0 to 1 that grows with the chance that a message bears on the query. The
    /// weights are half the log odds, so that the eligibility threshold drops only what is most
    /// unlikely.
    pub(crate) fn relevance(&self, evidence: &[f64; RELEVANCE.len()]) -> f64 {
        let pairs = evidence.iter().zip(&self.weights);
        let odds: f64 = pairs.map(|(value, weight)| value * weight).sum();
        1.0 / (1.0 + (-odds).exp())
    }

    /// What contributed most to it.
    pub(crate) fn signals(&self, evidence: &[f64; RELEVANCE.len()]) -> Vec<Signal> {
        let named = RELEVANCE.iter().zip(evidence).zip(&self.weights);
        strongest(named.map(|((name, value), weight)| (*name, *value, *weight)))
    }
}
