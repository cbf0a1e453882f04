//! Two systems on the same questions, by one metric.

use serde::{Deserialize, Serialize};

use super::Direction;
use crate::Interval;

/// A system against a baseline on the same questions, paired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The suite, dataset and part, for example `retrieval, scifact_train, odd`.
    pub data: String,
    /// The system.
    pub system: String,
    /// What it is compared with.
    pub baseline: String,
    /// The metric.
    pub metric: String,
    /// Which way is better.
    pub direction: Direction,
    /// Questions that both answered.
    pub questions: usize,
    /// The system's mean.
    pub value: f64,
    /// The baseline's mean.
    pub baseline_value: f64,
    /// The system's mean less the baseline's.
    pub difference: f64,
    /// The 95% bootstrap interval of the difference.
    pub interval: Interval,
    /// The two-sided p-value of a paired randomisation test.
    pub p: f64,
}
