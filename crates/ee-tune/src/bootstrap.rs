//! Percentile bootstrap of a mean (Efron and Tibshirani, 1993, chapter 13).

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Lower and upper end of a confidence interval.
pub type Interval = [f64; 2];

/// How many resamples are drawn.
const RESAMPLES: usize = 2_000;

/// The 95% confidence interval of the mean of `values`, by 2,000 resamples from `seed`.
/// Without values the interval is `[0, 0]`.
pub fn confidence_interval(values: &[f64], seed: u64) -> Interval {
    if values.is_empty() {
        return [0.0, 0.0];
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| resampled_mean(values, &mut random))
        .collect();
    means.sort_by(f64::total_cmp);
    [percentile(&means, 0.025), percentile(&means, 0.975)]
}

fn resampled_mean(values: &[f64], random: &mut impl Rng) -> f64 {
    let draw = |_| {
        values
            .get(random.random_range(0..values.len()))
            .copied()
            .unwrap_or_default()
    };
    (0..values.len()).map(draw).sum::<f64>() / values.len() as f64
}

/// The value at `share` of a sorted, non-empty list, by the nearest rank.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * (sorted.len().saturating_sub(1)) as f64).round() as usize;
    sorted.get(rank).copied().unwrap_or_default()
}

/// The mean, 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "equal seeds give equal bits")]
mod tests {
    use super::{confidence_interval, mean};

    #[test]
    fn the_interval_holds_the_mean_and_narrows_with_the_sample() {
        let few: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
        let many: Vec<f64> = (0..2_000).map(|i| f64::from(i % 2)).collect();
        let ([a, b], [c, d]) = (confidence_interval(&few, 1), confidence_interval(&many, 1));
        assert!(a < mean(&few) && mean(&few) < b);
        // Normal approximation: ±1.96 · 0.5 / √n.
        assert!(((b - a) / 2.0 - 0.219).abs() < 0.05, "{a} {b}");
        assert!(((d - c) / 2.0 - 0.0219).abs() < 0.005, "{c} {d}");
    }

    #[test]
    fn equal_seeds_give_equal_intervals() {
        let values = [0.1, 0.9, 0.4, 0.7];
        assert_eq!(
            confidence_interval(&values, 7),
            confidence_interval(&values, 7)
        );
        assert_eq!(confidence_interval(&[], 7), [0.0, 0.0]);
    }
}
