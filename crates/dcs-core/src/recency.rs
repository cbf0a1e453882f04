//! How the weight of a line of work fades while it rests.

use jiff::Timestamp;

/// Hours from `earlier` to `later`; clock skew (a negative age) counts as 0.
pub fn age_hours(earlier: Timestamp, later: Timestamp) -> f64 {
    let milliseconds = later
        .as_millisecond()
        .saturating_sub(earlier.as_millisecond());
    milliseconds.max(0) as f64 / 3_600_000.0
}

/// `exp(-age / tau)`, in 0 to 1: 1 at age 0, 0.368 at `tau`.
///
/// ```
/// assert!((dcs_core::recency_weight(24.0, 24.0) - 0.3679).abs() < 1e-4);
/// assert_eq!(dcs_core::recency_weight(-3.0, 24.0), 1.0);
/// ```
pub fn recency_weight(age_hours: f64, tau_hours: f64) -> f64 {
    (-age_hours.max(0.0) / tau_hours).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fades_as_documented() {
        for (age, weight) in [(0.0, 1.0), (24.0, 0.368), (48.0, 0.135), (72.0, 0.050)] {
            assert!((recency_weight(age, 24.0) - weight).abs() < 5e-4, "{age}");
        }
    }

    #[test]
    fn clock_skew_counts_as_no_age() {
        let later = Timestamp::UNIX_EPOCH;
        let earlier = Timestamp::from_second(7200).unwrap();
        assert!(age_hours(earlier, later).abs() < f64::EPSILON);
        assert!((age_hours(later, earlier) - 2.0).abs() < f64::EPSILON);
    }
}
