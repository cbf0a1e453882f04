//! What crosses the session trait: messages and tools one way, a reply the other.

use serde::{Deserialize, Serialize};

use crate::Evidence;

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

impl ChatMessage {
    /// A message that carries neither tool calls nor a tool's result.
    pub fn new(role: ChatRole, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

impl ChatReply {
    /// A reply of text alone, without a token count.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tool_calls: Vec::new(),
            usage: None,
        }
    }
}
