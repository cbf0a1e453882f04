//! The OpenAI-compatible session against servers that follow the protocol loosely.

use std::time::{Duration, Instant};

use ee_pipeline::{
    ApiKey, Cancellation, ChatError, ChatMessage, ChatReply, ChatRequest, ChatRole, ChatSession,
    OpenAiConfig, OpenAiSession, RetryConfig, TimeoutConfig, TimeoutStage, TokenUsage, ToolSpec,
};
use serde_json::json;

use super::conformance;
use super::server::{ScriptedServer, Step, answer, document, stream};

const KEY: &str = "sk-secret-123";

fn config(server: &ScriptedServer) -> OpenAiConfig {
    OpenAiConfig {
        base_url: server.base_url.clone(),
        model: "tiny".into(),
        retry: RetryConfig {
            first_pause_seconds: 0.01,
            jitter_seed: Some(1),
            ..RetryConfig::default()
        },
        timeouts: TimeoutConfig {
            connect_seconds: 2.0,
            first_byte_seconds: 0.5,
            next_byte_seconds: 0.3,
            overall_seconds: 10.0,
        },
        ..OpenAiConfig::default()
    }
}

fn session(server: &ScriptedServer) -> OpenAiSession {
    OpenAiSession::new(config(server), Some(ApiKey::new(KEY))).unwrap()
}

fn call(
    session: &dyn ChatSession,
    cancellation: &Cancellation,
) -> (String, Result<ChatReply, ChatError>) {
    let messages = [ChatMessage::new(ChatRole::User, "Hallo 休假")];
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
    let mut streamed = String::new();
    let reply = session.complete(&request, &mut |text| streamed.push_str(text), cancellation);
    (streamed, reply)
}

fn run(server: &ScriptedServer) -> Result<ChatReply, ChatError> {
    let (streamed, reply) = call(&session(server), &Cancellation::default());
    if let Ok(reply) = &reply {
        assert_eq!(streamed, reply.text);
    }
    reply
}

fn delta(text: &str) -> String {
    format!(
        "data: {}\n\n",
        json!({"choices": [{"index": 0, "delta": {"content": text}}]})
    )
}

#[test]
fn it_conforms() {
    let body = format!("{}data: [DONE]\n\n", delta("Vier Wochen. 休假"));
    let server = ScriptedServer::start(vec![stream(&body, 7), stream(&body, 7)]);
    conformance::check(&session(&server));
}

#[test]
fn the_request_follows_the_protocol() {
    let server = ScriptedServer::start(vec![stream(&delta("a"), 100)]);
    let extra = json!({"grammar": "root ::= \"a\"", "stream_options": null});
    let config = OpenAiConfig {
        temperature: Some(0.5),
        max_tokens: Some(9),
        extra: extra.as_object().unwrap().clone(),
        ..config(&server)
    };
    let session = OpenAiSession::new(config, Some(ApiKey::new(KEY))).unwrap();
    call(&session, &Cancellation::default()).1.unwrap();
    let received = &server.received()[0];
    assert_eq!(received.path, "/v1/chat/completions");
    assert_eq!(
        received.header("authorization"),
        Some("Bearer sk-secret-123")
    );
    assert_eq!(
        received.body,
        json!({
            "model": "tiny",
            "messages": [{"role": "user", "content": "Hallo 休假"}],
            "temperature": 0.5,
            "max_tokens": 9,
            "stream": true,
            "tools": [{"type": "function",
                "function": {"name": "retrieve", "description": "d", "parameters": {}}}],
            "grammar": "root ::= \"a\"",
        })
    );
}

#[test]
fn streams_are_read_tolerantly() {
    let body = [
        ": keep-alive\r\n\r\n".to_owned(),
        "data: {\"choices\":[]}\r\n\r\n".to_owned(),
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\r\n\r\n"
            .to_owned(),
        delta("Grüße, "),
        delta("休假 👩‍👩‍👧"),
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n"
            .to_owned(),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}\n"
            .to_owned(),
    ]
    .concat();
    // One byte at a time splits every character; there is no [DONE] and no last blank line.
    let server = ScriptedServer::start(vec![stream(&body, 1)]);
    let reply = run(&server).unwrap();
    assert_eq!(reply.text, "Grüße, 休假 👩‍👩‍👧");
    assert_eq!(
        reply.usage,
        Some(TokenUsage {
            prompt: 12,
            completion: 3
        })
    );
}

#[test]
fn tool_calls_are_put_together() {
    let piece = |call: serde_json::Value| {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"delta": {"tool_calls": [call]}}]})
        )
    };
    let body = [
        piece(json!({"index": 0, "id": "a", "function": {"name": "retrieve", "arguments": ""}})),
        piece(json!({"index": 0, "function": {"arguments": "{\"ids\":"}})),
        piece(json!({"index": 1, "id": "b", "function": {"name": "retrieve", "arguments": "{}"}})),
        piece(json!({"index": 0, "function": {"arguments": "[3]}"}})),
    ]
    .concat();
    let server = ScriptedServer::start(vec![stream(&body, 50)]);
    let calls = run(&server).unwrap().tool_calls;
    let calls: Vec<_> = calls
        .iter()
        .map(|call| (&*call.id, &*call.arguments))
        .collect();
    assert_eq!(calls, [("a", "{\"ids\":[3]}"), ("b", "{}")]);
}

#[test]
fn servers_that_do_not_stream_are_understood() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":"Ja.","tool_calls":[
        {"id":"a","type":"function","function":{"name":"retrieve","arguments":{"ids":[1]}}}]}}],
        "usage":{"prompt_tokens":5,"completion_tokens":1}}"#;
    let server = ScriptedServer::start(vec![document(body)]);
    let reply = run(&server).unwrap();
    assert_eq!(reply.text, "Ja.");
    assert_eq!(reply.tool_calls[0].arguments, r#"{"ids":[1]}"#);
    assert_eq!(
        reply.usage,
        Some(TokenUsage {
            prompt: 5,
            completion: 1
        })
    );
}

#[test]
fn a_stream_is_known_by_its_look_too() {
    let server = ScriptedServer::start(vec![answer(
        200,
        "content-type: text/plain\r\n",
        &delta("a"),
    )]);
    assert_eq!(run(&server).unwrap().text, "a");
}

#[test]
fn retry_after_is_heeded() {
    let server = ScriptedServer::start(vec![
        answer(429, "retry-after: 0.4\r\n", "slow down"),
        stream(&delta("a"), 100),
    ]);
    let begun = Instant::now();
    assert_eq!(run(&server).unwrap().text, "a");
    assert!(begun.elapsed() >= Duration::from_millis(400));
    assert_eq!(server.received().len(), 2);
}

#[test]
fn a_retry_after_beyond_patience_ends_the_call() {
    let server = ScriptedServer::start(vec![answer(429, "retry-after: 3600\r\n", "quota")]);
    let error = run(&server).unwrap_err();
    assert!(
        matches!(
            error,
            ChatError::Status {
                status: 429,
                attempts: 1,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn server_errors_and_broken_connections_are_tried_again() {
    let server = ScriptedServer::start(vec![
        answer(500, "", "oops"),
        Vec::new(),
        answer(503, "", ""),
        stream(&delta("a"), 100),
    ]);
    assert_eq!(run(&server).unwrap().text, "a");
    assert_eq!(server.received().len(), 4);
}

#[test]
fn retries_end() {
    let server = ScriptedServer::start(vec![answer(500, "", "oops"); 4]);
    let error = run(&server).unwrap_err();
    assert!(
        matches!(
            error,
            ChatError::Status {
                status: 500,
                attempts: 4,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_bad_request_is_not_tried_again_and_hides_the_key() {
    let body = format!("{{\"error\":{{\"message\":\"no model for {KEY}\"}}}}");
    let server = ScriptedServer::start(vec![answer(400, "", &body), stream(&delta("a"), 100)]);
    let error = run(&server).unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(matches!(
        error,
        ChatError::Status {
            status: 400,
            attempts: 1,
            ..
        }
    ));
    assert!(
        text.contains("no model for ***") && !text.contains(KEY),
        "{text}"
    );
    assert_eq!(server.received().len(), 1);
}

#[test]
fn a_stalled_stream_times_out() {
    let mut steps = stream(&delta("a"), 100);
    steps.push(Step::Pause(Duration::from_secs(5)));
    let server = ScriptedServer::start(vec![steps]);
    let begun = Instant::now();
    let error = run(&server).unwrap_err();
    let stage = TimeoutStage::NextByte;
    assert!(
        matches!(error, ChatError::Timeout { stage: s, .. } if s == stage),
        "{error}"
    );
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_silent_server_times_out() {
    let server = ScriptedServer::start(vec![vec![Step::Pause(Duration::from_secs(5))]]);
    let session = OpenAiSession::new(
        OpenAiConfig {
            timeouts: TimeoutConfig {
                connect_seconds: 0.2,
                ..config(&server).timeouts
            },
            ..config(&server)
        },
        None,
    );
    let error = call(&session.unwrap(), &Cancellation::default())
        .1
        .unwrap_err();
    let stage = TimeoutStage::FirstByte;
    assert!(
        matches!(error, ChatError::Timeout { stage: s, .. } if s == stage),
        "{error}"
    );
}

#[test]
fn a_call_is_cancelled_while_it_waits() {
    let mut steps = stream(&delta("a"), 100);
    steps.push(Step::Pause(Duration::from_secs(5)));
    let server = ScriptedServer::start(vec![steps]);
    let config = OpenAiConfig {
        timeouts: TimeoutConfig::default(),
        ..config(&server)
    };
    let session = OpenAiSession::new(config, None).unwrap();
    let cancellation = Cancellation::default();
    let stop = cancellation.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        stop.cancel();
    });
    let begun = Instant::now();
    let (streamed, reply) = call(&session, &cancellation);
    assert_eq!(streamed, "a");
    assert!(matches!(reply, Err(ChatError::Cancelled)));
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn what_is_not_the_protocol_is_named() {
    for body in [
        "<html>Hello</html>",
        "[1]",
        "{\"a\":1}",
        "{\"choices\":[]}",
        "",
        "{",
    ] {
        let server = ScriptedServer::start(vec![document(body)]);
        let error = run(&server).unwrap_err();
        assert!(
            matches!(error, ChatError::Malformed { .. }),
            "{body}: {error}"
        );
    }
    let server = ScriptedServer::start(vec![stream("data: {\"choi\n\n", 100)]);
    assert!(matches!(run(&server), Err(ChatError::Malformed { .. })));
}

#[test]
fn an_error_within_a_stream_is_an_error() {
    let body = format!(
        "{}data: {{\"error\":{{\"message\":\"out of memory\"}}}}\n\n",
        delta("a")
    );
    let server = ScriptedServer::start(vec![stream(&body, 100)]);
    let error = run(&server).unwrap_err();
    assert!(matches!(&error, ChatError::Server { message, .. } if message == "out of memory"));
}

#[test]
fn no_server_is_a_connection_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let config = OpenAiConfig {
        base_url,
        retry: RetryConfig {
            max_retries: 1,
            first_pause_seconds: 0.01,
            ..RetryConfig::default()
        },
        ..OpenAiConfig::default()
    };
    let session = OpenAiSession::new(config, None).unwrap();
    let error = call(&session, &Cancellation::default()).1.unwrap_err();
    assert!(matches!(error, ChatError::Connection { .. }), "{error}");
}

#[test]
fn settings_out_of_range_are_named() {
    let wrong = |config: OpenAiConfig| match OpenAiSession::new(config, None) {
        Err(ChatError::Setting { setting, .. }) => setting,
        _ => panic!("accepted"),
    };
    let fine = OpenAiConfig::default;
    assert_eq!(
        wrong(OpenAiConfig {
            base_url: "localhost".into(),
            ..fine()
        }),
        "base_url"
    );
    assert_eq!(
        wrong(OpenAiConfig {
            model: " ".into(),
            ..fine()
        }),
        "model"
    );
    assert_eq!(
        wrong(OpenAiConfig {
            temperature: Some(3.0),
            ..fine()
        }),
        "temperature"
    );
    let retry = RetryConfig {
        max_pause_seconds: f64::NAN,
        ..RetryConfig::default()
    };
    assert_eq!(wrong(OpenAiConfig { retry, ..fine() }), "max_pause_seconds");
}
