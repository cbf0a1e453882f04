//! The request as the protocol writes it.

use serde_json::{Map, Value, json};

use super::OpenAiConfig;
use crate::{ChatMessage, ChatRequest, ToolCall, ToolSpec};

/// The body of a request.
pub(super) fn body(config: &OpenAiConfig, request: &ChatRequest<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(config.model));
    body.insert(
        "messages".to_owned(),
        request.messages.iter().map(message).collect(),
    );
    if let Some(temperature) = config.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = config.max_tokens {
        body.insert("max_tokens".to_owned(), json!(max_tokens));
    }
    if config.stream {
        body.insert("stream".to_owned(), json!(true));
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    for (name, value) in &config.extra {
        if value.is_null() {
            body.shift_remove(name);
        } else {
            body.insert(name.clone(), value.clone());
        }
    }
    Value::Object(body)
}

fn message(message: &ChatMessage) -> Value {
    let mut written = json!({"role": message.role, "content": message.content});
    let Some(fields) = written.as_object_mut() else {
        return written;
    };
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().map(tool_call).collect();
        fields.insert("tool_calls".to_owned(), calls);
    }
    if let Some(id) = &message.tool_call_id {
        fields.insert("tool_call_id".to_owned(), json!(id));
    }
    written
}

fn tool_call(call: &ToolCall) -> Value {
    json!({
        "id": call.id, "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    })
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        },
    })
}
