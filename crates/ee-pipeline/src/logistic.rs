//! Log-odds to probabilities.

/// The logistic function: the probability whose log-odds these are, 0–1.
pub(crate) fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}
