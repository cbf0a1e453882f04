//! The JSON events of an answer, whether the server streams them or sends one document.

use std::collections::VecDeque;

use serde_json::Value;

use super::exchange::Waiting;
use super::sse::SseParser;
use crate::{Cancellation, ChatError};

/// What ends a stream of the OpenAI kind.
const DONE: &str = "[DONE]";
/// The longest document that is read, in bytes.
const LONGEST_DOCUMENT: usize = 64 * 1024 * 1024;

/// Reads an answer event by event.
pub(crate) struct Events<'a> {
    waiting: Waiting<'a>,
    format: Format,
    ready: VecDeque<String>,
    ended: bool,
}

enum Format {
    /// Nothing but white space so far, and no content type that tells.
    Unknown(Vec<u8>),
    Stream(SseParser),
    Document(Vec<u8>),
}

impl<'a> Events<'a> {
    pub(crate) fn new(waiting: Waiting<'a>, content_type: &str) -> Self {
        let format = if content_type.to_ascii_lowercase().contains("event-stream") {
            Format::Stream(SseParser::default())
        } else {
            Format::Unknown(Vec::new())
        };
        Self {
            waiting,
            format,
            ready: VecDeque::new(),
            ended: false,
        }
    }

    /// The next event; none when the answer is complete. `[DONE]` is the end, and so is the end
    /// of the connection.
    pub(crate) fn next(&mut self, cancellation: &Cancellation) -> Result<Option<Value>, ChatError> {
        loop {
            if cancellation.is_cancelled() {
                return Err(ChatError::Cancelled);
            }
            while let Some(event) = self.ready.pop_front() {
                match event.trim() {
                    "" => {}
                    DONE => return Ok(None),
                    json => return self.parse(json).map(Some),
                }
            }
            if self.ended {
                return Ok(None);
            }
            match self.waiting.bytes(cancellation)? {
                Some(bytes) => self.take(&bytes),
                None => self.end(),
            }
        }
    }

    /// An error that says what was expected and shows what came.
    pub(crate) fn malformed(&self, expected: &'static str, found: &str) -> ChatError {
        ChatError::Malformed {
            endpoint: self.waiting.endpoint.clone(),
            expected,
            excerpt: self.waiting.client.excerpt(found),
        }
    }

    /// An error that the server reports within its answer.
    pub(crate) fn server_error(&self, error: &Value) -> ChatError {
        let message = error.get("message").and_then(Value::as_str);
        let message = message.map_or_else(|| error.to_string(), str::to_owned);
        ChatError::Server {
            endpoint: self.waiting.endpoint.clone(),
            message: self.waiting.client.excerpt(&message),
        }
    }

    fn parse(&self, json: &str) -> Result<Value, ChatError> {
        match serde_json::from_str::<Value>(json) {
            Ok(value) if value.is_object() => Ok(value),
            _ => Err(self.malformed("a JSON object", json)),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        match &mut self.format {
            Format::Stream(parser) => self.ready.extend(parser.push(bytes)),
            Format::Document(document) if document.len() < LONGEST_DOCUMENT => {
                document.extend_from_slice(bytes);
            }
            Format::Document(_) => {}
            Format::Unknown(start) => {
                start.extend_from_slice(bytes);
                let start = std::mem::take(start);
                self.recognise(start);
            }
        }
    }

    /// Servers name their content type wrongly; events begin with a field, documents do not.
    fn recognise(&mut self, start: Vec<u8>) {
        let text = start.trim_ascii_start();
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let is_event = [&b"data:"[..], b"event:", b"id:", b":"]
            .iter()
            .any(|field| text.starts_with(field));
        if text.len() < 6 && !text.starts_with(b"{") {
            self.format = Format::Unknown(start);
        } else if is_event {
            self.format = Format::Stream(SseParser::default());
            self.take(&start);
        } else {
            self.format = Format::Document(start);
        }
    }

    fn end(&mut self) {
        self.ended = true;
        match &mut self.format {
            Format::Stream(parser) => self.ready.extend(parser.finish()),
            Format::Unknown(document) | Format::Document(document) => {
                let document = String::from_utf8_lossy(document);
                self.ready
                    .push_back(document.trim_start_matches('\u{feff}').to_owned());
            }
        }
    }
}
