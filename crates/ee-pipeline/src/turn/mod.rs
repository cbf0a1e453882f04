//! The five layers: one turn from question to audited answer.

use std::sync::Arc;

use ee_store::{AuditStore, ConversationId, ConversationStore, ElectedUnit, OfferedUnit, TurnId};
use km_core::AccessScope;

use crate::{Cancellation, ChatSession, KnowledgeBase, PipelineError, TokenUsage, TurnConfig};

/// Runs turns over a knowledge base.
pub struct Engine {}

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
    /// What was injected.
    pub elected: Vec<ElectedUnit>,
    /// What was asked for but had not been offered.
    pub refused: Vec<String>,
    /// Ranks that were elected but did not fit the budget.
    pub unfit: Vec<usize>,
    /// The citations of the answer, as offered: id prefix and rank.
    pub citations: Vec<(String, usize)>,
    /// Whether the answer declines for want of knowledge (`INSUFFICIENT DATA`).
    pub declined: bool,
    /// Model calls.
    pub calls: u32,
    /// Tokens of the header and the injected text, over all calls.
    pub context_tokens: u64,
    /// Tokens as the server counted them, or our estimate.
    pub usage: TokenUsage,
    /// Stages and their milliseconds, in order.
    pub timings: Vec<(&'static str, f64)>,
}

impl Engine {
    /// An engine over `knowledge` that keeps conversations and audit in the given stores.
    pub fn new(
        knowledge: Arc<KnowledgeBase>,
        conversations: Arc<dyn ConversationStore>,
        audit: Arc<dyn AuditStore>,
        config: TurnConfig,
    ) -> Self {
        let _ = (knowledge, conversations, audit, config);
        Self {}
    }

    /// Runs one turn. `on_text` sees the answer as it arrives, and never a RETRIEVE exchange.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails; the audit then holds the first phase and the failure.
    pub fn run(
        &self,
        request: &TurnRequest,
        session: &dyn ChatSession,
        on_text: &mut dyn FnMut(&str),
        cancellation: &Cancellation,
    ) -> Result<TurnResult, PipelineError> {
        let _ = (request, session, on_text);
        cancellation.is_cancelled();
        Err(PipelineError::Chat(crate::ChatError::Cancelled))
    }
}
