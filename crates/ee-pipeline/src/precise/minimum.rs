//! Minimum viable context: the smallest set that is likely enough to hold a relevant unit.
//!
//! The chance that a set misses is estimated as the product of its members' chances to be
//! irrelevant. That estimate is not trusted: `τ(ε)`, the estimate at which a set is large enough
//! for a real miss rate of at most `ε`, comes from labelled questions by conformal risk control
//! (Angelopoulos, Bates, Fisch, Lei and Schuster, "Conformal Risk Control", ICLR 2024): the sets
//! grow as `τ` falls, so the miss rate falls with it, and for exchangeable questions the largest
//! `τ` with `(misses + 1) / (n + 1) ≤ ε` keeps the expected miss rate of a new question at `ε`.

use serde::{Deserialize, Serialize};

use crate::PipelineError;

/// How small a context may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MinimumConfig {
    /// ε, the accepted chance that the context holds no relevant unit, above 0 and below 1.
    pub epsilon: f64,
    /// Units less likely to be relevant than this are dropped, however few remain; 0–1.
    pub floor: f64,
    /// τ(ε) for some ε, ascending. The largest that is not above ε counts; for an ε below the
    /// first there is no calibrated context.
    pub calibration: Vec<CalibrationPoint>,
}

/// τ for one ε.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CalibrationPoint {
    /// The accepted chance of a miss.
    pub epsilon: f64,
    /// The estimated chance of a miss at which a set is large enough.
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
    /// τ(ε); absent when the calibration does not reach ε.
    pub tau: Option<f64>,
    /// Whether the candidates reach ε. When not, the context holds all above the floor.
    pub feasible: bool,
}

impl Default for MinimumConfig {
    fn default() -> Self {
        Self {
            epsilon: 0.1,
            floor: 0.01,
            calibration: vec![CalibrationPoint {
                epsilon: 0.1,
                tau: 0.2,
            }],
        }
    }
}

impl MinimumConfig {
    /// Decides for probabilities in descending order.
    pub fn decide(&self, probabilities: &[f32]) -> MinimumContext {
        let above = |probability: &&f32| f64::from(**probability) >= self.floor;
        let tau = self.tau();
        let mut context = MinimumContext {
            units: 0,
            estimated_miss: 1.0,
            epsilon: self.epsilon,
            tau,
            feasible: false,
        };
        for probability in probabilities.iter().take_while(above) {
            context.units += 1;
            context.estimated_miss *= 1.0 - f64::from(*probability);
            if tau.is_some_and(|tau| context.estimated_miss <= tau) {
                context.feasible = true;
                break;
            }
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
        if !(0.0..=1.0).contains(&self.floor) {
            return wrong("minimum.floor", "from 0 to 1", self.floor);
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

    fn config(epsilon: f64, floor: f64) -> MinimumConfig {
        let calibration = vec![
            CalibrationPoint {
                epsilon: 0.05,
                tau: 0.01,
            },
            CalibrationPoint {
                epsilon: 0.1,
                tau: 0.3,
            },
        ];
        MinimumConfig {
            epsilon,
            floor,
            calibration,
        }
    }

    #[test]
    fn the_smallest_set_that_reaches_tau_is_taken() {
        let context = config(0.1, 0.0).decide(&[0.5, 0.5, 0.5]);
        assert_eq!((context.units, context.feasible), (2, true));
        assert!((context.estimated_miss - 0.25).abs() < 1e-9);
    }

    #[test]
    fn an_epsilon_out_of_reach_is_infeasible() {
        let context = config(0.05, 0.0).decide(&[0.5, 0.5, 0.5]);
        assert_eq!((context.units, context.feasible), (3, false));
        let context = config(0.01, 0.0).decide(&[1.0]);
        assert_eq!((context.tau, context.feasible), (None, false));
    }

    #[test]
    fn what_is_below_the_floor_is_dropped_however_few_remain() {
        assert_eq!(config(0.1, 0.6).decide(&[0.5, 0.5]).units, 0);
        assert_eq!(config(0.1, 0.2).decide(&[]).units, 0);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for (epsilon, floor) in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 0.0), (0.1, -0.1)] {
            assert!(config(epsilon, floor).validate().is_err());
        }
        let mut unsorted = config(0.1, 0.0);
        unsorted.calibration.reverse();
        assert!(unsorted.validate().is_err());
    }

    proptest! {
        #[test]
        fn a_smaller_epsilon_never_makes_a_smaller_context(
            mut probabilities in prop::collection::vec(0.0_f32..1.0, 0..30),
        ) {
            probabilities.sort_by(|a, b| b.total_cmp(a));
            let strict = config(0.05, 0.0).decide(&probabilities);
            let loose = config(0.1, 0.0).decide(&probabilities);
            prop_assert!(loose.units <= strict.units);
            prop_assert!(strict.units <= probabilities.len());
        }
    }
}
