//! Fusion score and cross-encoder as one calibrated probability.
//!
//! A logistic model (Platt 1999) over how a candidate scores and how far it leads the best other
//! one. Neither ranking is trusted alone: the cross-encoder reads both texts, but was trained on
//! web questions; the fusion knows the collection. Candidates that the cross-encoder did not read
//! have weights of their own, so that both kinds are on one scale.

use serde::{Deserialize, Serialize};

use crate::PipelineError;
use crate::logistic::logistic;

/// Weights of the two models. Which data the defaults were fitted on stands in `docs/precise.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BlendConfig {
    /// For candidates that the cross-encoder read.
    pub read: BlendWeights,
    /// For candidates that it did not read; the weights of its scores do not count.
    pub unread: BlendWeights,
}

/// Weights of `logistic(intercept + Σ weight · evidence)`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BlendWeights {
    /// The constant term.
    pub intercept: f64,
    /// Weight of the fusion score, 0–1.
    pub fused: f64,
    /// Weight of its distance from the best other candidate's.
    pub fused_lead: f64,
    /// Weight of the cosine.
    pub cosine: f64,
    /// Weight of the cross-encoder's logit.
    pub logit: f64,
    /// Weight of its distance from the best other candidate's.
    pub logit_lead: f64,
    /// Weight of the logit in context, where the cross-encoder read the candidate in its context.
    pub context_logit: f64,
    /// Weight of its distance from the best other candidate's.
    pub context_lead: f64,
}

/// What is known of a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BlendEvidence {
    /// The fusion score, 0–1.
    pub fused: f32,
    /// Cosine to the question; 0 where there is none.
    pub cosine: f32,
    /// The cross-encoder's logit, where it read the candidate.
    pub logit: Option<f32>,
    /// The best logit of passages that hold the candidate in its context, where it read some.
    pub context_logit: Option<f32>,
}

impl Default for BlendConfig {
    /// For units.
    fn default() -> Self {
        Self {
            read: BlendWeights::new(-3.469, [2.369, 2.836, 1.783, 0.0045, 0.2893, 0.0, 0.0]),
            unread: BlendWeights::new(-3.871, [2.521, 8.048, 1.958, 0.0, 0.0, 0.0, 0.0]),
        }
    }
}

impl BlendConfig {
    /// For turns of conversations.
    pub(crate) fn of_turns() -> Self {
        let read = [3.874, 3.903, -3.291, -0.017, 0.173, 0.0756, 0.0491];
        Self {
            read: BlendWeights::new(-2.478, read),
            unread: BlendWeights::new(-4.103, [4.087, 6.191, -0.305, 0.0, 0.0, 0.0, 0.0]),
        }
    }

    /// The probability of each candidate to be relevant, 0–1, in the order given.
    pub fn probabilities(&self, candidates: &[BlendEvidence]) -> Vec<f32> {
        let rows = Self::evidence(candidates);
        let pairs = candidates.iter().zip(&rows);
        let of = |(one, row): (&BlendEvidence, &BlendRow)| self.weights(one).probability(row);
        pairs.map(of).collect()
    }

    /// The evidence of every candidate as the models weigh it, for fitting.
    pub fn evidence(candidates: &[BlendEvidence]) -> Vec<BlendRow> {
        let fused = Best::of(candidates.iter().map(|one| one.fused));
        let logit = Best::of(candidates.iter().filter_map(|one| one.logit));
        let context = Best::of(candidates.iter().filter_map(|one| one.context_logit));
        let row = |one: &BlendEvidence| {
            let value = |logit: Option<f32>| logit.map(f64::from).unwrap_or_default();
            let lead = |best: &Best, logit: Option<f32>| logit.map_or(0.0, |one| best.lead(one));
            [
                f64::from(one.fused),
                fused.lead(one.fused),
                f64::from(one.cosine),
                value(one.logit),
                lead(&logit, one.logit),
                value(one.context_logit),
                lead(&context, one.context_logit),
            ]
        };
        candidates.iter().map(row).collect()
    }

    fn weights(&self, one: &BlendEvidence) -> &BlendWeights {
        if one.logit.is_some() {
            &self.read
        } else {
            &self.unread
        }
    }

    /// Checks every setting.
    pub(crate) fn validate(&self) -> Result<(), PipelineError> {
        for (setting, weights) in [("blend.read", &self.read), ("blend.unread", &self.unread)] {
            let (intercept, others) = weights.values();
            let mut values = others.into_iter().chain([intercept]);
            if let Some(found) = values.find(|value| !value.is_finite()) {
                return Err(PipelineError::Setting {
                    setting,
                    expected: "finite numbers",
                    found: found.to_string(),
                });
            }
        }
        Ok(())
    }
}

/// The values that the weights after the intercept multiply, in their order.
pub type BlendRow = [f64; 7];

impl BlendWeights {
    /// Weights from an intercept and the others in the order of a row.
    pub fn new(intercept: f64, weights: BlendRow) -> Self {
        let [
            fused,
            fused_lead,
            cosine,
            logit,
            logit_lead,
            context_logit,
            context_lead,
        ] = weights;
        Self {
            intercept,
            fused,
            fused_lead,
            cosine,
            logit,
            logit_lead,
            context_logit,
            context_lead,
        }
    }

    fn values(&self) -> (f64, BlendRow) {
        let weights = [
            self.fused,
            self.fused_lead,
            self.cosine,
            self.logit,
            self.logit_lead,
            self.context_logit,
            self.context_lead,
        ];
        (self.intercept, weights)
    }

    fn probability(&self, row: &BlendRow) -> f32 {
        let (intercept, weights) = self.values();
        let products = weights
            .iter()
            .zip(row)
            .map(|(weight, value)| weight * value);
        logistic(intercept + products.sum::<f64>()) as f32
    }
}

/// The two best scores of a list.
struct Best {
    first: f32,
    second: f32,
}

impl Best {
    fn of(scores: impl Iterator<Item = f32>) -> Self {
        let mut best = Self {
            first: f32::NEG_INFINITY,
            second: f32::NEG_INFINITY,
        };
        for score in scores {
            if score > best.first {
                best.second = best.first;
                best.first = score;
            } else {
                best.second = best.second.max(score);
            }
        }
        best
    }

    /// How far a score of the list lies above the best other one; 0 for a list of one.
    fn lead(&self, score: f32) -> f64 {
        let other = if score >= self.first {
            self.second
        } else {
            self.first
        };
        if other.is_finite() {
            f64::from(score) - f64::from(other)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(fused: f32, logit: Option<f32>) -> BlendEvidence {
        BlendEvidence {
            fused,
            cosine: 0.5,
            logit,
            context_logit: None,
        }
    }

    #[test]
    fn rows_agree_with_hand_calculation() {
        let rows =
            BlendConfig::evidence(&[one(0.25, Some(2.0)), one(1.0, None), one(0.5, Some(-1.0))]);
        let expected = [
            [0.25, -0.75, 0.5, 2.0, 3.0, 0.0, 0.0],
            [1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0],
            [0.5, -0.5, 0.5, -1.0, -3.0, 0.0, 0.0],
        ];
        let values = rows.iter().flatten().zip(expected.iter().flatten());
        assert!(
            values
                .into_iter()
                .all(|(found, expected)| (found - expected).abs() < 1e-9)
        );
        assert_eq!(rows.len(), expected.len());
    }

    #[test]
    fn what_was_not_read_has_weights_of_its_own() {
        let blend = BlendConfig {
            read: BlendWeights::new(0.0, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            unread: BlendWeights::new(-2.0, [1.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0]),
        };
        let found = blend.probabilities(&[one(0.5, Some(2.0)), one(0.5, None)]);
        // 1 / (1 + e^-2) and 1 / (1 + e^1.5).
        assert!((found[0] - 0.880_797).abs() < 1e-5);
        assert!((found[1] - 0.182_426).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn they_are_probabilities_in_any_order(
            scores in prop::collection::vec((0.0_f32..1.0, prop::option::of(-12.0_f32..12.0)), 0..30),
        ) {
            let mut candidates: Vec<BlendEvidence> =
                scores.iter().map(|(fused, logit)| one(*fused, *logit)).collect();
            candidates.sort_by(|a, b| b.fused.total_cmp(&a.fused));
            candidates.dedup_by(|a, b| a.fused.total_cmp(&b.fused).is_eq());
            let forwards = BlendConfig::default().probabilities(&candidates);
            candidates.reverse();
            let mut backwards = BlendConfig::default().probabilities(&candidates);
            backwards.reverse();
            prop_assert!(forwards.iter().all(|one| (0.0..=1.0).contains(one)));
            prop_assert_eq!(forwards, backwards);
        }
    }
}
