//! The Anthropic session against a scripted server.

use ee_pipeline::{
    AnthropicConfig, AnthropicSession, ApiKey, Cancellation, ChatError, ChatMessage, ChatRequest,
    ChatRole, ChatSession, RetryConfig, TokenUsage, ToolCall, ToolSpec,
};
use serde_json::{Value, json};

use super::conformance;
use super::server::{ScriptedServer, answer, document, stream};

fn session(server: &ScriptedServer) -> AnthropicSession {
    let config = AnthropicConfig {
        base_url: server.base_url.clone(),
        model: "small".into(),
        retry: RetryConfig {
            first_pause_seconds: 0.01,
            ..RetryConfig::default()
        },
        ..AnthropicConfig::default()
    };
    AnthropicSession::new(config, ApiKey::new("sk-ant")).unwrap()
}

fn events(events: &[Value]) -> String {
    let line = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    };
    events.iter().map(line).collect()
}

fn text_events(text: &str) -> String {
    events(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}}),
        json!({"type": "message_stop"}),
    ])
}

#[test]
fn it_conforms() {
    let body = text_events("Vier Wochen. 休假");
    let server = ScriptedServer::start(vec![stream(&body, 3), stream(&body, 3)]);
    conformance::check(&session(&server));
}

#[test]
fn the_request_follows_the_api() {
    let server = ScriptedServer::start(vec![stream(&text_events("a"), 100)]);
    let mut asked = ChatMessage::new(ChatRole::Assistant, "");
    asked.tool_calls = vec![ToolCall {
        id: "t1".into(),
        name: "retrieve".into(),
        arguments: "{\"ids\":[1]}".into(),
    }];
    let mut result = ChatMessage::new(ChatRole::Tool, "found");
    result.tool_call_id = Some("t1".into());
    let messages = [
        ChatMessage::new(ChatRole::System, "Be brief."),
        ChatMessage::new(ChatRole::User, "Hi"),
        asked,
        result,
    ];
    let tools = [ToolSpec {
        name: "retrieve".into(),
        description: "d".into(),
        parameters: json!({}),
    }];
    let request = ChatRequest {
        messages: &messages,
        tools: &tools,
        evidence: None,
    };
    let reply = session(&server)
        .complete(&request, &mut |_| {}, &Cancellation::default())
        .unwrap();
    assert_eq!(
        reply.usage,
        Some(TokenUsage {
            prompt: 9,
            completion: 4
        })
    );
    let received = &server.received()[0];
    assert_eq!(received.path, "/v1/messages");
    assert_eq!(received.header("x-api-key"), Some("sk-ant"));
    assert_eq!(received.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(
        received.body,
        json!({
            "model": "small",
            "max_tokens": 2048,
            "stream": true,
            "system": "Be brief.",
            "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "t1", "name": "retrieve", "input": {"ids": [1]}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "found"}]},
            ],
            "tools": [{"name": "retrieve", "description": "d", "input_schema": {}}],
        })
    );
}

fn complete(server: &ScriptedServer) -> Result<ee_pipeline::ChatReply, ChatError> {
    let messages = [ChatMessage::new(ChatRole::User, "Hi")];
    let request = ChatRequest {
        messages: &messages,
        tools: &[],
        evidence: None,
    };
    session(server).complete(&request, &mut |_| {}, &Cancellation::default())
}

#[test]
fn tool_calls_are_put_together() {
    let body = events(&[
        json!({"type": "message_start", "message": {}}),
        json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "tool_use", "id": "t1", "name": "retrieve", "input": {}}}),
        json!({"type": "content_block_delta", "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": "{\"ids\":"}}),
        json!({"type": "content_block_delta", "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": "[2]}"}}),
        json!({"type": "message_stop"}),
    ]);
    let server = ScriptedServer::start(vec![stream(&body, 11)]);
    let calls = complete(&server).unwrap().tool_calls;
    assert_eq!(
        (&*calls[0].name, &*calls[0].arguments),
        ("retrieve", "{\"ids\":[2]}")
    );
}

#[test]
fn a_document_is_understood() {
    let body = r#"{"type":"message","content":[{"type":"text","text":"Ja."},
        {"type":"tool_use","id":"t","name":"retrieve","input":{"ids":[1]}}],
        "usage":{"input_tokens":3,"output_tokens":2}}"#;
    let server = ScriptedServer::start(vec![document(body)]);
    let reply = complete(&server).unwrap();
    assert_eq!(reply.text, "Ja.");
    assert_eq!(reply.tool_calls[0].arguments, r#"{"ids":[1]}"#);
}

#[test]
fn an_overloaded_server_is_tried_again_and_errors_are_told() {
    let overloaded =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let server = ScriptedServer::start(vec![
        answer(529, "", &overloaded.to_string()),
        stream(&events(&[overloaded]), 100),
    ]);
    let error = complete(&server).unwrap_err();
    assert!(
        matches!(&error, ChatError::Server { message, .. } if message == "Overloaded"),
        "{error}"
    );
    let server = ScriptedServer::start(vec![document("{\"hello\":1}")]);
    assert!(matches!(
        complete(&server),
        Err(ChatError::Malformed { .. })
    ));
}
