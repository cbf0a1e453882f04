//! Summaries of measured figures.

/// Figures in ascending order.
#[derive(Debug, Clone, Default)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Sorts the figures.
    pub fn new(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Self(sorted)
    }

    /// The figures, in ascending order.
    pub fn figures(&self) -> &[f64] {
        &self.0
    }

    /// The nearest-rank percentile, `percent` from 0 to 100: the smallest figure that at least so
    /// many per cent of the figures do not exceed. Undefined (NaN) without figures.
    pub fn percentile(&self, percent: f64) -> f64 {
        let rank = (percent / 100.0 * self.0.len() as f64).ceil() as usize;
        let place = rank.saturating_sub(1);
        self.0.get(place).copied().unwrap_or(f64::NAN)
    }

    /// The 50th percentile.
    pub fn median(&self) -> f64 {
        self.percentile(50.0)
    }

    /// The smallest figure; undefined (NaN) without figures.
    pub fn least(&self) -> f64 {
        self.percentile(0.0)
    }

    /// The arithmetic mean; undefined (NaN) without figures.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let sample = Sample::new((1..=10).rev().map(f64::from));
        let found = [0.0, 10.0, 50.0, 51.0, 99.0, 100.0].map(|percent| sample.percentile(percent));
        assert_eq!(found.map(|figure| figure as u32), [1, 1, 5, 6, 10, 10]);
        assert!(Sample::default().median().is_nan());
    }
}
