//! Settings of a session with Anthropic's messages API.

use serde::{Deserialize, Serialize};

use crate::{ChatError, RetryConfig, TimeoutConfig};

/// Settings of a session with Anthropic's messages API. The key is no setting: it is handed to
/// [`crate::AnthropicSession::new`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AnthropicConfig {
    /// Where the API is, up to and without `/messages`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// Sampling temperature, 0–1; absent leaves it to the server.
    pub temperature: Option<f32>,
    /// The most tokens of a reply; the API insists on it.
    pub max_tokens: u32,
    /// Whether the model is offered tools. Without them election goes by text.
    pub tools: bool,
    /// How long a call may take.
    pub timeouts: TimeoutConfig,
    /// How often it is tried.
    pub retry: RetryConfig,
}

impl Default for AnthropicConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.anthropic.com/v1".to_owned(),
            model: "claude-sonnet-4-5".to_owned(),
            temperature: None,
            max_tokens: 2048,
            tools: true,
            timeouts: TimeoutConfig::default(),
            retry: RetryConfig::default(),
        }
    }
}

impl AnthropicConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`ChatError::Setting`] for an address without `http`, an empty model, a temperature
    /// outside 0–1, no tokens for the reply, or a time that is not above 0.
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
        if self.max_tokens == 0 {
            return wrong("max_tokens", "at least 1", "0");
        }
        if let Some(temperature) = self.temperature.filter(|t| !(0.0..=1.0).contains(t)) {
            return wrong("temperature", "between 0 and 1", &temperature.to_string());
        }
        self.timeouts.validate()?;
        self.retry.validate()
    }
}
