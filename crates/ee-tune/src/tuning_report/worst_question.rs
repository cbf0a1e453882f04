//! A question that went badly.

use serde::{Deserialize, Serialize};

/// A question that went badly, with what the model was offered and what it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstQuestion {
    /// The question's id.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// The value of the deciding objective for it.
    pub score: f64,
    /// Ids that should have come.
    pub expected: Vec<String>,
    /// Ids that were offered or ranked, best first.
    pub offered: Vec<String>,
    /// Ids that were elected; empty for suites without election.
    pub elected: Vec<String>,
    /// The answer; empty for suites without answers.
    pub answer: String,
}
