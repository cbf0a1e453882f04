//! Sessions with OpenAI-compatible servers: OpenAI, Ollama, llama.cpp, vLLM, LM Studio, Groq,
//! `DeepSeek`, Grok and others that offer `chat/completions`.

mod assembly;
mod config;
mod request;

pub use config::OpenAiConfig;

use super::http::{ApiKey, Call, HttpClient};
use crate::{Cancellation, ChatError, ChatReply, ChatRequest, ChatSession};
use assembly::Assembly;

/// A session with an OpenAI-compatible server.
pub struct OpenAiSession {
    name: String,
    config: OpenAiConfig,
    client: HttpClient,
}

impl OpenAiSession {
    /// A session with these settings. Servers on the own machine rarely need a key.
    ///
    /// # Errors
    /// [`ChatError::Setting`] when a setting is out of range.
    pub fn new(config: OpenAiConfig, key: Option<ApiKey>) -> Result<Self, ChatError> {
        config.validate()?;
        let client = HttpClient::new(config.timeouts.clone(), config.retry.clone(), key)?;
        Ok(Self {
            name: format!("openai:{}", config.model),
            config,
            client,
        })
    }

    fn call(&self, request: &ChatRequest<'_>) -> Call {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "text/event-stream, application/json".to_owned()),
        ];
        if let Some(key) = self.client.key() {
            headers.push(("authorization", format!("Bearer {}", key.reveal())));
        }
        let base = self.config.base_url.trim_end_matches('/');
        Call {
            endpoint: format!("{base}/chat/completions"),
            headers,
            body: request::body(&self.config, request)
                .to_string()
                .into_bytes(),
        }
    }
}

impl ChatSession for OpenAiSession {
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
            if !assembly.add(&event, on_text) {
                last = event.to_string();
            }
        }
        if assembly.is_empty() {
            return Err(events.malformed("a chat completion", &last));
        }
        Ok(assembly.finish())
    }
}
