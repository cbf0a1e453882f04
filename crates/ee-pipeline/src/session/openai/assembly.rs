//! A reply put together from the chunks of a stream, or from one document.

use serde_json::Value;

use crate::{ChatReply, TokenUsage, ToolCall};

/// What has arrived of a reply. Only the first choice counts; servers send chunks without
/// choices (usage, keep-alive), null content, and reasoning that is no part of the reply.
#[derive(Default)]
pub(super) struct Assembly {
    text: String,
    calls: Vec<PartialCall>,
    usage: Option<TokenUsage>,
    has_choice: bool,
}

struct PartialCall {
    index: Option<u64>,
    call: ToolCall,
}

impl Assembly {
    /// Adds a chunk. `false` when it is nothing that the protocol has.
    pub(super) fn add(&mut self, event: &Value, on_text: &mut dyn FnMut(&str)) -> bool {
        let usage = self.add_usage(event.get("usage"));
        let Some(choices) = event.get("choices").and_then(Value::as_array) else {
            return usage;
        };
        let first = choices
            .iter()
            .find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0);
        if let Some(choice) = first {
            self.has_choice = true;
            let message = ["delta", "message"]
                .iter()
                .find_map(|name| choice.get(*name));
            if let Some(message) = message {
                self.add_text(message.get("content"), on_text);
                self.add_calls(message.get("tool_calls"));
            } else if let Some(text) = choice.get("text") {
                self.add_text(Some(text), on_text);
            }
        }
        true
    }

    /// Whether no chunk had a choice in it.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_choice
    }

    pub(super) fn finish(self) -> ChatReply {
        let calls = self.calls.into_iter().enumerate().map(|(at, partial)| {
            let mut call = partial.call;
            if call.id.is_empty() {
                call.id = format!("call_{at}");
            }
            call
        });
        ChatReply {
            text: self.text,
            tool_calls: calls.filter(|call| !call.name.is_empty()).collect(),
            usage: self.usage,
        }
    }

    /// Content is text, or a list of parts with text in them.
    fn add_text(&mut self, content: Option<&Value>, on_text: &mut dyn FnMut(&str)) {
        match content {
            Some(Value::String(text)) if !text.is_empty() => {
                on_text(text);
                self.text.push_str(text);
            }
            Some(Value::Array(parts)) => {
                for part in parts {
                    self.add_text(part.get("text"), on_text);
                }
            }
            _ => {}
        }
    }

    fn add_calls(&mut self, calls: Option<&Value>) {
        for piece in calls.and_then(Value::as_array).into_iter().flatten() {
            let index = piece.get("index").and_then(Value::as_u64);
            let id = piece.get("id").and_then(Value::as_str).unwrap_or_default();
            let function = piece.get("function");
            let field = |name: &str| function.and_then(|function| function.get(name));
            let Some(partial) = self.call_for(index, id) else {
                continue;
            };
            if partial.call.id.is_empty() {
                id.clone_into(&mut partial.call.id);
            }
            let call = &mut partial.call;
            // Some servers repeat the whole name in every piece.
            let name = field("name").and_then(Value::as_str).unwrap_or_default();
            if call.name != name {
                call.name.push_str(name);
            }
            match field("arguments") {
                Some(Value::String(text)) => call.arguments.push_str(text),
                Some(object @ Value::Object(_)) => call.arguments = object.to_string(),
                _ => {}
            }
        }
    }

    /// The call that a piece belongs to: by index; where a server leaves that out, a new id
    /// begins a new call, and a piece without one goes on with the last.
    fn call_for(&mut self, index: Option<u64>, id: &str) -> Option<&mut PartialCall> {
        let known = match index {
            Some(_) => self.calls.iter().position(|partial| partial.index == index),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|partial| partial.call.id == id),
        };
        let at = known.unwrap_or(self.calls.len());
        if known.is_none() {
            let (id, name, arguments) = Default::default();
            self.calls.push(PartialCall {
                index,
                call: ToolCall {
                    id,
                    name,
                    arguments,
                },
            });
        }
        self.calls.get_mut(at)
    }

    fn add_usage(&mut self, usage: Option<&Value>) -> bool {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else {
            return false;
        };
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        if let (Some(prompt), completion) = (count("prompt_tokens"), count("completion_tokens")) {
            self.usage = Some(TokenUsage {
                prompt,
                completion: completion.unwrap_or(0),
            });
        }
        true
    }
}
