//! Minimum viable context: the smallest set that is likely enough to hold a relevant unit.
//!
//! Down the ranking, a unit's gain is the estimated chance that it is the first relevant one: its
//! own probability times the chances of all before it to be irrelevant. Of all sets with the same
//! estimated chance of a miss, on average over questions, the smallest take every unit whose gain
//! reaches one threshold. The estimates are not trusted: `τ(ε)`, the threshold for a real miss
//! rate of at most `ε`, comes from labelled questions by conformal risk control (Angelopoulos,
//! Bates, Fisch, Lei and Schuster, "Conformal Risk Control", ICLR 2024): the sets grow as `τ`
//! falls, so the miss rate falls with it, and for exchangeable questions the largest `τ` with
//! `(misses + 1) / (n + 1) ≤ ε` keeps the expected miss rate of a new question at `ε`.

use serde::{Deserialize, Serialize};

use crate::PipelineError;

/// How small a context may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MinimumConfig {
    /// ε, the accepted chance that the context holds no relevant unit, above 0 and below 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0.02..0.4 chance logarithmic")))]
    pub epsilon: f64,
    /// τ(ε) for some ε, ascending. The largest that is not above ε counts; an ε below the first is
    /// infeasible.
    pub calibration: Vec<CalibrationPoint>,
}

/// τ for one ε.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CalibrationPoint {
    /// The accepted chance of a miss.
    pub epsilon: f64,
    /// The least gain of a unit in the context, 0–1. What gains less is dropped, however few
    /// remain.
    pub tau: f64,
}

/// The context that was decided on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MinimumContext {
    /// How many of the ranked units it holds.
    pub units: usize,
    /// The estimated chance that it holds no relevant unit, before calibration.
    pub estimated_miss: f64,
    /// ε.
    pub epsilon: f64,
    /// τ(ε); absent when the candidates of the labelled questions do not reach ε. The context then
    /// holds all candidates.
    pub tau: Option<f64>,
}

/// τ(ε) that goes with the default blend; `docs/precise.md` says from which questions.
const CALIBRATION: [(f64, f64); 7] = [
    (0.02, 0.000_023),
    (0.05, 0.002_86),
    (0.1, 0.026_05),
    (0.15, 0.142_6),
    (0.2, 0.386_6),
    (0.3, 0.656_1),
    (0.4, 0.806_9),
];

impl Default for MinimumConfig {
    fn default() -> Self {
        Self {
            epsilon: 0.1,
            calibration: CALIBRATION
                .map(|(epsilon, tau)| CalibrationPoint { epsilon, tau })
                .into(),
        }
    }
}

impl MinimumConfig {
    /// Decides for probabilities in descending order.
    pub fn decide(&self, probabilities: &[f32]) -> MinimumContext {
        let tau = self.tau();
        let mut context = MinimumContext {
            units: 0,
            estimated_miss: 1.0,
            epsilon: self.epsilon,
            tau,
        };
        for probability in probabilities {
            let probability = f64::from(*probability);
            if tau.is_some_and(|tau| context.estimated_miss * probability < tau) {
                break;
            }
            context.units += 1;
            context.estimated_miss *= 1.0 - probability;
        }
        context
    }

    fn tau(&self) -> Option<f64> {
        let reached = |point: &&CalibrationPoint| point.epsilon <= self.epsilon;
        self.calibration
            .iter()
            .rfind(reached)
            .map(|point| point.tau)
    }

    /// Checks every setting.
    pub(crate) fn validate(&self) -> Result<(), PipelineError> {
        let wrong = |setting, expected, found: f64| {
            Err(PipelineError::Setting {
                setting,
                expected,
                found: found.to_string(),
            })
        };
        if !(self.epsilon > 0.0 && self.epsilon < 1.0) {
            return wrong("minimum.epsilon", "above 0 and below 1", self.epsilon);
        }
        let sorted = self.calibration.is_sorted_by(|a, b| a.epsilon < b.epsilon);
        match self
            .calibration
            .iter()
            .find(|point| !(0.0..=1.0).contains(&point.tau))
        {
            Some(point) => wrong("minimum.calibration", "a tau from 0 to 1", point.tau),
            None if !sorted => wrong("minimum.calibration", "in ascending epsilon", f64::NAN),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn config(epsilon: f64) -> MinimumConfig {
        let point = |epsilon, tau| CalibrationPoint { epsilon, tau };
        MinimumConfig {
            epsilon,
            calibration: vec![point(0.05, 0.1), point(0.1, 0.2)],
        }
    }

    #[test]
    fn units_are_taken_as_long_as_they_gain_enough() {
        // Gains 0.5, 0.25, 0.125.
        let context = config(0.1).decide(&[0.5, 0.5, 0.5]);
        assert_eq!((context.units, context.tau), (2, Some(0.2)));
        assert!((context.estimated_miss - 0.25).abs() < 1e-9);
        assert_eq!(config(0.05).decide(&[0.5, 0.5, 0.5]).units, 3);
        assert_eq!(config(0.07).decide(&[0.5, 0.5, 0.5]).units, 3);
    }

    #[test]
    fn nothing_remains_where_nothing_is_likely() {
        assert_eq!(config(0.1).decide(&[0.19, 0.19]).units, 0);
        assert_eq!(config(0.1).decide(&[]).units, 0);
    }

    #[test]
    fn an_epsilon_out_of_reach_is_infeasible_and_drops_nothing() {
        let context = config(0.01).decide(&[0.9, 0.1, 0.0]);
        assert_eq!((context.units, context.tau), (3, None));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for epsilon in [0.0, 1.0, f64::NAN] {
            assert!(config(epsilon).validate().is_err());
        }
        let mut unsorted = config(0.1);
        unsorted.calibration.reverse();
        assert!(unsorted.validate().is_err());
    }

    proptest! {
        #[test]
        fn a_smaller_epsilon_never_makes_a_smaller_context(
            mut probabilities in prop::collection::vec(0.0_f32..1.0, 0..30),
        ) {
            probabilities.sort_by(|a, b| b.total_cmp(a));
            let strict = config(0.05).decide(&probabilities);
            let loose = config(0.1).decide(&probabilities);
            prop_assert!(loose.units <= strict.units);
            prop_assert!(strict.units <= probabilities.len());
        }
    }
}
