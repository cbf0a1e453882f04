//! The earlier messages that were selected, and why these.

use dcs_core::{DcnId, Reason, SelectionDecision, Strategy};
use ee_store::{Role, StoredMessage};
use km_core::Timestamp;
use serde::Serialize;

/// The context of a question within its conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextReport {
    /// The selected messages, in the order of the conversation.
    pub messages: Vec<ContextMessage>,
    /// Their lines of work, with how likely the question continues each, 0 to 1.
    pub lines_of_work: Vec<(DcnId, f64)>,
    /// The messages under a short frame that states objective and lines of work, for a model.
    pub frame: String,
    /// What was decided, as it stands in the log; absent when there is nothing to select from.
    pub decision: Option<SelectionDecision>,
}

/// A selected message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextMessage {
    /// Position in the conversation, from 0.
    pub position: u64,
    /// Who wrote it.
    pub role: Role,
    /// When.
    pub at: Timestamp,
    /// The text, tags included.
    pub text: String,
    /// Its score, 0 to 1.
    pub score: f64,
    /// Why it is there.
    pub reasons: Vec<Reason>,
}

impl ContextMessage {
    pub(super) fn new(message: StoredMessage, score: f64, reasons: Vec<Reason>) -> Self {
        Self {
            position: message.position,
            role: message.role,
            at: message.at,
            text: message.text,
            score,
            reasons,
        }
    }
}

impl ContextReport {
    /// Whether the whole conversation was returned; `true` for an empty one.
    pub fn is_full(&self) -> bool {
        let strategy = self.decision.as_ref().map(|decision| decision.strategy);
        strategy.is_none_or(|strategy| strategy == Strategy::Full)
    }
}
