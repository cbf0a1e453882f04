//! One question of a run and what became of it.

use std::collections::BTreeMap;

use ee_pipeline::TurnResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question of a run and what became of it, in the same shape for every suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseRow {
    /// The question's id.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// Metrics by name; those that do not apply to this question are absent.
    pub metrics: BTreeMap<String, f64>,
    /// Ids or answers that are right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// Ids that were ranked or offered, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<String>,
    /// Ids that were elected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elected: Vec<String>,
    /// The answer; empty for suites without answers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// What the question cost.
    pub cost: CaseCost,
    /// What only this suite knows, so that a run can be taken up again.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub detail: Value,
}

/// What a question cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaseCost {
    /// Model calls.
    pub calls: u32,
    /// Tokens sent to the model, as the server counted them or by our estimate.
    pub sent_tokens: u64,
    /// Tokens received from it.
    pub received_tokens: u64,
    /// Tokens of the header and the injected text over all calls.
    pub context_tokens: u64,
    /// Wall time, in milliseconds.
    pub milliseconds: f64,
}

impl CaseCost {
    /// The cost of a turn that took this long.
    pub(crate) fn of_turn(turn: &TurnResult, milliseconds: f64) -> Self {
        Self {
            calls: turn.calls,
            sent_tokens: turn.usage.prompt,
            received_tokens: turn.usage.completion,
            context_tokens: turn.context_tokens,
            milliseconds,
        }
    }

    /// The costs with their names, in the order in which they are printed.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("calls", f64::from(self.calls)),
            ("sent_tokens", self.sent_tokens as f64),
            ("received_tokens", self.received_tokens as f64),
            ("context_tokens", self.context_tokens as f64),
            ("milliseconds", self.milliseconds),
        ]
    }
}
