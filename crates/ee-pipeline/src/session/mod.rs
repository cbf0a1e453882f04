//! The one trait through which a model is reached, and the sessions that implement it.

#[cfg(feature = "http")]
mod anthropic;
mod cancellation;
mod error;
mod evidence;
mod extractive;
#[cfg(feature = "http")]
mod http;
mod message;
#[cfg(feature = "http")]
mod openai;
mod scripted;
pub(crate) mod segment;
mod terms;

#[cfg(feature = "http")]
pub use anthropic::{AnthropicConfig, AnthropicSession};
pub use cancellation::Cancellation;
pub use error::{ChatError, TimeoutStage};
pub use evidence::{Evidence, EvidenceItem};
pub use extractive::{ExtractiveConfig, ExtractiveSession};
#[cfg(feature = "http")]
pub use http::{ApiKey, RetryConfig, TimeoutConfig};
pub use message::{ChatMessage, ChatReply, ChatRequest, ChatRole, TokenUsage, ToolCall, ToolSpec};
#[cfg(feature = "http")]
pub use openai::{OpenAiConfig, OpenAiSession};
pub use scripted::{RecordedRequest, ScriptedSession};

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
