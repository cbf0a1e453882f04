//! What follows from a search.

use serde::{Deserialize, Serialize};

use super::ParameterValue;

/// The verdict, which a reader sees first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether anything should change.
    pub decision: Decision,
    /// Why, in one or two sentences with the figures that decide.
    pub reason: String,
    /// What the proposal changes; empty when nothing should change.
    pub changes: Vec<SettingChange>,
}

/// Whether anything should change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The best setting beats the one in force on questions that the search never saw, with 95%
    /// confidence.
    Proposed,
    /// It does not; everything stays as it is.
    Unchanged,
    /// Nothing was to be decided: a sweep or a comparison, which measures.
    Measured,
}

/// A setting that the proposal changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingChange {
    /// Its key in the configuration file, for example `search.dense_weight`.
    pub key: String,
    /// The value in force.
    pub from: ParameterValue,
    /// The value proposed.
    pub to: ParameterValue,
    /// What speaks for it, with figures.
    pub evidence: String,
}
