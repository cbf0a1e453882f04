//! The request as the API writes it: the system prompt apart, tool calls and results as blocks.

use serde_json::{Map, Value, json};

use super::AnthropicConfig;
use crate::{ChatMessage, ChatRequest, ChatRole, ToolCall, ToolSpec};

/// The body of a request.
pub(super) fn body(config: &AnthropicConfig, request: &ChatRequest<'_>) -> Value {
    let is_system = |message: &&ChatMessage| message.role == ChatRole::System;
    let system = request.messages.iter().filter(is_system);
    let system: Vec<&str> = system.map(|message| message.content.as_str()).collect();
    let messages = request
        .messages
        .iter()
        .filter(|message| !is_system(message));
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(config.model));
    body.insert("max_tokens".to_owned(), json!(config.max_tokens));
    body.insert("stream".to_owned(), json!(true));
    if !system.is_empty() {
        body.insert("system".to_owned(), json!(system.join("\n\n")));
    }
    body.insert("messages".to_owned(), messages.map(message).collect());
    if let Some(temperature) = config.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    Value::Object(body)
}

fn message(message: &ChatMessage) -> Value {
    if let (ChatRole::Tool, Some(id)) = (message.role, &message.tool_call_id) {
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": message.content});
        return json!({"role": "user", "content": [result]});
    }
    let role = if message.role == ChatRole::Assistant {
        "assistant"
    } else {
        "user"
    };
    if message.tool_calls.is_empty() {
        return json!({"role": role, "content": message.content});
    }
    let text =
        (!message.content.is_empty()).then(|| json!({"type": "text", "text": message.content}));
    let blocks: Vec<Value> = text
        .into_iter()
        .chain(message.tool_calls.iter().map(tool_use))
        .collect();
    json!({"role": role, "content": blocks})
}

fn tool_use(call: &ToolCall) -> Value {
    let input: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "input_schema": tool.parameters,
    })
}
