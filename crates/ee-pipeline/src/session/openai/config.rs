//! Settings of a session with an OpenAI-compatible server.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ChatError, RetryConfig, TimeoutConfig};

/// Settings of a session with an OpenAI-compatible server. The key is no setting: it is handed
/// to [`crate::OpenAiSession::new`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OpenAiConfig {
    /// Where the server is, up to and without `/chat/completions`.
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Sampling temperature, 0–2; absent leaves it to the server.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..2 temperature linear")))]
    pub temperature: Option<f32>,
    /// The most tokens of a reply; absent leaves it to the server.
    pub max_tokens: Option<u32>,
    /// Whether replies are streamed.
    pub stream: bool,
    /// Whether the model is offered tools. Without them election goes by text.
    pub tools: bool,
    /// Further fields of the request, for what a server adds to the protocol (`grammar`,
    /// `reasoning_effort`, `max_completion_tokens` …). They replace fields of the same name;
    /// null takes a field out.
    pub extra: Map<String, Value>,
    /// How long a call may take.
    pub timeouts: TimeoutConfig,
    /// How often it is tried.
    pub retry: RetryConfig,
}

impl Default for OpenAiConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".to_owned(),
            model: "gpt-5-mini".to_owned(),
            temperature: None,
            max_tokens: None,
            stream: true,
            tools: false,
            extra: Map::new(),
            timeouts: TimeoutConfig::default(),
            retry: RetryConfig::default(),
        }
    }
}

impl OpenAiConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`ChatError::Setting`] for an address without `http`, an empty model, a temperature
    /// outside 0–2, or a time that is not above 0.
    pub fn validate(&self) -> Result<(), ChatError> {
        let wrong = |setting, expected, found: &str| {
            Err(ChatError::Setting {
                setting,
                expected,
                found: found.to_owned(),
            })
        };
        if !self.base_url.starts_with("http://") && !self.base_url.starts_with("https://") {
            return wrong(
                "base_url",
                "an address that begins with http:// or https://",
                &self.base_url,
            );
        }
        if self.model.trim().is_empty() {
            return wrong("model", "the name of a model", &self.model);
        }
        if let Some(temperature) = self.temperature.filter(|t| !(0.0..=2.0).contains(t)) {
            return wrong("temperature", "between 0 and 2", &temperature.to_string());
        }
        self.timeouts.validate()?;
        self.retry.validate()
    }
}
