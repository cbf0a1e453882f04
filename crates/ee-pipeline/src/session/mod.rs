//! The one trait through which a model is reached, and what crosses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use km_core::UnitId;
use serde::{Deserialize, Serialize};

/// A chat model, or what stands in for one.
pub trait ChatSession: Send + Sync {
    /// The session's kind and model, for records and output, for example `openai:gpt-5-mini`.
    fn name(&self) -> &str;

    /// Whether the model takes tools; without them election goes by text.
    fn supports_tools(&self) -> bool;

    /// One call. `on_text` is handed the reply's text as it arrives.
    ///
    /// # Errors
    /// [`ChatError`] when the call fails for good, or is cancelled.
    fn complete(
        &self,
        request: &ChatRequest<'_>,
        on_text: &mut dyn FnMut(&str),
        cancellation: &Cancellation,
    ) -> Result<ChatReply, ChatError>;
}

/// What one call sends.
#[derive(Debug, Clone, Copy)]
pub struct ChatRequest<'a> {
    /// The messages, oldest first.
    pub messages: &'a [ChatMessage],
    /// The tools offered, if any.
    pub tools: &'a [ToolSpec],
    /// What the messages' header or injected block was made from, for a session that needs no
    /// model and works on the candidates themselves. A session that speaks to a model ignores it.
    pub evidence: Option<&'a Evidence>,
}

/// The structured side of a turn: what the prompt says in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The user's question.
    pub question: String,
    /// Candidates (first call) or elected units (second call), by rank.
    pub items: Vec<EvidenceItem>,
    /// Whether the items carry their full text, which is so in the second call only.
    pub injected: bool,
}

/// One candidate or elected unit.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceItem {
    /// The `n` of `[ID:n]`.
    pub rank: usize,
    /// The unit.
    pub unit: UnitId,
    /// How it is cited: the shortest unique prefix of its id, 8 digits or more.
    pub citation: String,
    /// Its summary (first call) or full text (second call).
    pub text: String,
    /// How well it fits the question: the engine's estimate that it holds the answer, 0–1.
    pub relevance: f32,
}

/// Who says something in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who says it.
    pub role: ChatRole,
    /// What is said.
    pub content: String,
    /// Tool calls of an assistant message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// A tool a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: serde_json::Value,
}

/// A call that a model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments as the model wrote them: JSON, or what should have been.
    pub arguments: String,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    /// The text, whole.
    pub text: String,
    /// Tool calls, if any.
    pub tool_calls: Vec<ToolCall>,
    /// The server's own count, where it gave one.
    pub usage: Option<TokenUsage>,
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens sent.
    pub prompt: u64,
    /// Tokens received.
    pub completion: u64,
}

/// Tells work in progress to stop; clones share one flag.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
}
