//! From values to places on a chart.

/// About how many ticks an axis has.
const TICKS: f64 = 4.0;

/// A linear axis over a range of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
    /// Where `low` and `high` lie on the chart.
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that shows all finite values between two places, its ends on ticks.
    pub(super) fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low <= 1e-12 * high.abs().max(1.0) {
            let margin = (high.abs() * 0.1).max(1e-3);
            (low, high) = (low - margin, high + margin);
        }
        let step = nice_step((high - low) / TICKS);
        Self {
            low: (low / step).floor() * step,
            high: (high / step).ceil() * step,
            step,
            from,
            to,
        }
    }

    /// The place of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// Values to be marked, from low to high.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let count = ((self.high - self.low) / self.step).round() as usize;
        let value = |at: usize| self.low + self.step * at as f64;
        (0..=count.min(12)).map(value).collect()
    }
}

/// The next of 1, 2, 5 times a power of ten (Heckbert, Graphics Gems, 1990).
fn nice_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let nice = match rough / power {
        part if part <= 1.0 => 1.0,
        part if part <= 2.0 => 2.0,
        part if part <= 5.0 => 5.0,
        _ => 10.0,
    };
    nice * power
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Axis;

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        let axis = Axis::over([0.71, 0.78].into_iter(), 0.0, 100.0);
        let ticks: Vec<String> = axis
            .ticks()
            .iter()
            .map(|tick| format!("{tick:.2}"))
            .collect();
        assert_eq!(ticks, ["0.70", "0.72", "0.74", "0.76", "0.78"]);
    }

    proptest! {
        #[test]
        fn every_value_lies_on_the_chart(values in prop::collection::vec(-1e6_f64..1e6, 0..20)) {
            let axis = Axis::over(values.iter().copied(), 40.0, 300.0);
            prop_assert!(axis.ticks().len() >= 2 && axis.ticks().len() <= 13);
            for value in values {
                let place = axis.place(value);
                prop_assert!((39.99..=300.01).contains(&place), "{value} at {place}");
            }
        }
    }
}
