//! What goes into a turn and what comes out.

use dcs_core::SelectionDecision;
use ee_store::{ConversationId, ElectedUnit, OfferedUnit, TurnId};
use km_core::AccessScope;

use crate::{StageTrace, TokenUsage};

/// One turn.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// What the user says.
    pub message: String,
    /// The conversation it belongs to; absent for a question that stands alone.
    pub conversation: Option<ConversationId>,
    /// On whose behalf.
    pub scope: AccessScope,
}

/// How a turn ended.
#[derive(Debug, Clone)]
pub struct TurnResult {
    /// The turn, for the audit.
    pub turn: TurnId,
    /// The answer, citations in it, tags at its end.
    pub answer: String,
    /// What was offered, by rank.
    pub offered: Vec<OfferedUnit>,
    /// What the stages of the precision pipeline did, where they ran.
    pub stages: Vec<StageTrace>,
    /// What was injected.
    pub elected: Vec<ElectedUnit>,
    /// What was asked for but had not been offered.
    pub refused: Vec<String>,
    /// Ranks that were elected but did not fit the budget.
    pub unfit: Vec<usize>,
    /// The citations of the answer, as offered: id prefix and rank.
    pub citations: Vec<(String, usize)>,
    /// Ids that the answer cited without having been offered them; they are not in it.
    pub false_citations: Vec<String>,
    /// Whether the answer declines for want of knowledge (`INSUFFICIENT DATA`).
    pub declined: bool,
    /// Which earlier messages the model saw and why; absent without earlier messages.
    pub selection: Option<SelectionDecision>,
    /// Model calls.
    pub calls: u32,
    /// Tokens of the header and the injected text, over all calls.
    pub context_tokens: u64,
    /// Tokens as the server counted them, or our estimate.
    pub usage: TokenUsage,
    /// Stages and their milliseconds, in order.
    pub timings: Vec<(&'static str, f64)>,
}
