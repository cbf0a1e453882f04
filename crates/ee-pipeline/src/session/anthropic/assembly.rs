//! A reply put together from the events of a stream, or from one document.

use serde_json::Value;

use crate::{ChatReply, TokenUsage, ToolCall};

/// What has arrived of a reply.
#[derive(Default)]
pub(super) struct Assembly {
    text: String,
    calls: Vec<(u64, ToolCall)>,
    usage: Option<TokenUsage>,
    begun: bool,
    complete: bool,
}

impl Assembly {
    /// Adds an event; kinds that are not known are passed over, as the API asks of its clients.
    pub(super) fn add(&mut self, event: &Value, on_text: &mut dyn FnMut(&str)) {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        match event
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
        {
            "message_start" => {
                self.begun = true;
                self.add_usage(event.pointer("/message/usage"));
            }
            "content_block_start" => {
                self.begun = true;
                self.add_block(index, event.get("content_block"), on_text);
            }
            "content_block_delta" => self.add_delta(index, event.get("delta"), on_text),
            "message_delta" => self.add_usage(event.get("usage")),
            "message_stop" => self.complete = true,
            "message" => self.add_document(event, on_text),
            _ => {}
        }
    }

    /// Whether nothing of a message has arrived.
    pub(super) fn is_empty(&self) -> bool {
        !self.begun
    }

    /// Whether the message is at its end.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    pub(super) fn finish(self) -> ChatReply {
        ChatReply {
            text: self.text,
            tool_calls: self.calls.into_iter().map(|(_, call)| call).collect(),
            usage: self.usage,
        }
    }

    fn add_document(&mut self, event: &Value, on_text: &mut dyn FnMut(&str)) {
        self.begun = true;
        self.complete = true;
        let blocks = event.get("content").and_then(Value::as_array);
        for (index, block) in (0..).zip(blocks.into_iter().flatten()) {
            self.add_block(index, Some(block), on_text);
            if let Some((_, call)) = self.calls.iter_mut().find(|(at, _)| *at == index) {
                call.arguments = block.get("input").map(Value::to_string).unwrap_or_default();
            }
        }
        self.add_usage(event.get("usage"));
    }

    fn add_block(&mut self, index: u64, block: Option<&Value>, on_text: &mut dyn FnMut(&str)) {
        let field = |name: &str| {
            block
                .and_then(|block| block.get(name))
                .and_then(Value::as_str)
        };
        match field("type") {
            Some("text") => self.add_text(field("text"), on_text),
            Some("tool_use") => {
                let id = field("id").unwrap_or_default().to_owned();
                let name = field("name").unwrap_or_default().to_owned();
                self.calls.push((
                    index,
                    ToolCall {
                        id,
                        name,
                        arguments: String::new(),
                    },
                ));
            }
            _ => {}
        }
    }

    fn add_delta(&mut self, index: u64, delta: Option<&Value>, on_text: &mut dyn FnMut(&str)) {
        let field = |name: &str| {
            delta
                .and_then(|delta| delta.get(name))
                .and_then(Value::as_str)
        };
        self.add_text(field("text"), on_text);
        if let Some(json) = field("partial_json")
            && let Some((_, call)) = self.calls.iter_mut().find(|(at, _)| *at == index)
        {
            call.arguments.push_str(json);
        }
    }

    fn add_text(&mut self, text: Option<&str>, on_text: &mut dyn FnMut(&str)) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            on_text(text);
            self.text.push_str(text);
        }
    }

    /// Input tokens come at the beginning, output tokens at the end; cached input counts as sent.
    fn add_usage(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else {
            return;
        };
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        let total = self.usage.get_or_insert_default();
        if let Some(input) = count("input_tokens") {
            let cached = count("cache_read_input_tokens").unwrap_or(0);
            let created = count("cache_creation_input_tokens").unwrap_or(0);
            total.prompt = input + cached + created;
        }
        if let Some(output) = count("output_tokens") {
            total.completion = output;
        }
    }
}
