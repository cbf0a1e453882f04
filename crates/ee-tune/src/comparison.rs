//! Two systems on the same questions.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::bootstrap::mean;
use crate::report::rounded;
use crate::{Interval, confidence_interval};

/// How often signs are drawn.
const DRAWS: usize = 10_000;

/// The difference of one metric between two systems on the same questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The other system.
    pub against: &'static str,
    /// The metric.
    pub metric: &'static str,
    /// The other system's mean.
    pub other: f64,
    /// This system's mean less the other's.
    pub difference: f64,
    /// The 95% bootstrap interval of the difference.
    pub interval: Interval,
    /// How likely a difference this far from 0 is when neither system is better: a two-sided
    /// paired randomisation test (Smucker, Allan and Carterette, CIKM 2007), 10,000 draws.
    pub p: f64,
}

impl Comparison {
    /// Compares values of a metric, one per question, in the same order.
    pub(crate) fn new(
        against: &'static str,
        metric: &'static str,
        own: &[f64],
        other: &[f64],
        seed: u64,
    ) -> Self {
        let paired = PairedDifference::new(own, other, seed);
        Self {
            against,
            metric,
            other: rounded(mean(other)),
            difference: rounded(paired.difference),
            interval: paired.interval.map(rounded),
            p: rounded(paired.p),
        }
    }
}

/// The difference of the means of two systems on the same questions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedDifference {
    /// The first mean less the second.
    pub difference: f64,
    /// Its 95% bootstrap interval.
    pub interval: Interval,
    /// Its two-sided p-value, as in [`Comparison::p`].
    pub p: f64,
}

impl PairedDifference {
    /// Compares values of a metric, one per question, in the same order; what one side has beyond
    /// the other is left out.
    pub fn new(own: &[f64], other: &[f64], seed: u64) -> Self {
        let pairs = own.iter().zip(other);
        let differences: Vec<f64> = pairs.map(|(own, other)| own - other).collect();
        Self {
            difference: mean(&differences),
            interval: confidence_interval(&differences, seed),
            p: chance(&differences, seed),
        }
    }
}

/// The share of random signs under which the mean is as far from 0, the one found counted in.
fn chance(differences: &[f64], seed: u64) -> f64 {
    let found = differences.iter().sum::<f64>().abs();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || {
        let signed = differences.iter().map(|difference| {
            if random.random() {
                *difference
            } else {
                -difference
            }
        });
        signed.sum::<f64>().abs() >= found - 1e-12
    };
    let as_far = (0..DRAWS).filter(|_| draw()).count();
    (as_far + 1) as f64 / (DRAWS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::Comparison;

    fn compare(own: &[f64], other: &[f64]) -> Comparison {
        Comparison::new("other", "metric", own, other, 42)
    }

    #[test]
    fn a_steady_lead_is_no_chance_and_a_wavering_one_is() {
        let base: Vec<f64> = (0..50).map(|at| f64::from(at % 7)).collect();
        let better: Vec<f64> = base.iter().map(|value| value + 0.5).collect();
        let steady = compare(&better, &base);
        assert!(
            (steady.difference - 0.5).abs() < 1e-9 && steady.p < 0.001,
            "{steady:?}"
        );
        let wavering: Vec<f64> = base
            .iter()
            .zip(0..)
            .map(|(v, at)| v + [0.5, -0.5][at % 2])
            .collect();
        let wavering = compare(&wavering, &base);
        assert!(
            wavering.p > 0.5 && wavering.interval[0] < 0.0,
            "{wavering:?}"
        );
    }

    #[test]
    fn a_test_of_three_questions_agrees_with_all_signs() {
        // All three differences 1: of eight sign patterns two are as far from 0.
        let found = compare(&[1.0, 1.0, 1.0], &[0.0, 0.0, 0.0]);
        assert!((found.p - 0.25).abs() < 0.02, "{found:?}");
    }
}
