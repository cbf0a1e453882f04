//! Sessions with Anthropic's messages API.

mod assembly;
mod config;
mod request;

pub use config::AnthropicConfig;

use super::http::{ApiKey, Call, HttpClient};
use crate::{Cancellation, ChatError, ChatReply, ChatRequest, ChatSession};
use assembly::Assembly;

/// The version of the API that the requests follow.
const API_VERSION: &str = "2023-06-01";

/// A session with Anthropic's messages API.
pub struct AnthropicSession {
    name: String,
    config: AnthropicConfig,
    client: HttpClient,
}

impl AnthropicSession {
    /// A session with these settings.
    ///
    /// # Errors
    /// [`ChatError::Setting`] when a setting is out of range.
    pub fn new(config: AnthropicConfig, key: ApiKey) -> Result<Self, ChatError> {
        config.validate()?;
        let client = HttpClient::new(config.timeouts.clone(), config.retry.clone(), Some(key))?;
        Ok(Self {
            name: format!("anthropic:{}", config.model),
            config,
            client,
        })
    }

    fn call(&self, request: &ChatRequest<'_>) -> Call {
        let key = self.client.key().map_or("", ApiKey::reveal);
        Call {
            endpoint: format!("{}/messages", self.config.base_url.trim_end_matches('/')),
            headers: vec![
                ("content-type", "application/json".to_owned()),
                ("x-api-key", key.to_owned()),
                ("anthropic-version", API_VERSION.to_owned()),
            ],
            body: request::body(&self.config, request)
                .to_string()
                .into_bytes(),
        }
    }
}

impl ChatSession for AnthropicSession {
    fn name(&self) -> &str {
        &self.name
    }

    fn supports_tools(&self) -> bool {
        self.config.tools
    }

    fn complete(
        &self,
        request: &ChatRequest<'_>,
        on_text: &mut dyn FnMut(&str),
        cancellation: &Cancellation,
    ) -> Result<ChatReply, ChatError> {
        let mut events = self.client.post(&self.call(request), cancellation)?;
        let mut assembly = Assembly::default();
        let mut last = String::new();
        while let Some(event) = events.next(cancellation)? {
            if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
                return Err(events.server_error(error));
            }
            assembly.add(&event, on_text);
            last = event.to_string();
            if assembly.is_complete() {
                break;
            }
        }
        if assembly.is_empty() {
            return Err(events.malformed("a message", &last));
        }
        Ok(assembly.finish())
    }
}
