//! What each stage did.

use km_core::UnitId;
use serde::Serialize;

/// What a stage did with the candidates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageTrace {
    /// The stage.
    pub stage: &'static str,
    /// Candidates before it.
    pub entered: usize,
    /// Candidates after it; after `minimise` and `frame` the units of the context.
    pub left: usize,
    /// Wall time in milliseconds.
    pub milliseconds: f64,
    /// What was decided and why, for people.
    pub notes: Vec<String>,
}

/// The first digits of an id, for people.
pub(super) fn short(unit: UnitId) -> String {
    unit.to_string().chars().take(8).collect()
}
