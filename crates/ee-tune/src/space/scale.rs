//! How a range is laid out between 0 and 1.

/// On which scale a parameter is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart; the range lies above 0.
    Logarithmic,
}

impl Scale {
    /// The value at `place`, 0 to 1, of a range.
    pub fn value(self, place: f64, from: f64, to: f64) -> f64 {
        let place = place.clamp(0.0, 1.0);
        let value = match self {
            Self::Linear => from + place * (to - from),
            Self::Logarithmic => (from.ln() + place * (to.ln() - from.ln())).exp(),
        };
        value.clamp(from, to)
    }

    /// The place of a value, 0 to 1; values outside the range are taken to its ends.
    pub fn place(self, value: f64, from: f64, to: f64) -> f64 {
        let value = value.clamp(from, to);
        match self {
            Self::Linear => (value - from) / (to - from),
            Self::Logarithmic => (value.ln() - from.ln()) / (to.ln() - from.ln()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Scale;

    proptest! {
        #[test]
        fn place_and_value_are_inverse(place in 0.0_f64..1.0) {
            for scale in [Scale::Linear, Scale::Logarithmic] {
                let value = scale.value(place, 0.25, 48.0);
                prop_assert!((0.25..=48.0).contains(&value));
                prop_assert!((scale.place(value, 0.25, 48.0) - place).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_middle_of_a_logarithmic_range_is_its_geometric_mean() {
        assert!((Scale::Logarithmic.value(0.5, 1.0, 100.0) - 10.0).abs() < 1e-9);
        assert!((Scale::Linear.value(0.5, 1.0, 100.0) - 50.5).abs() < 1e-9);
    }
}
