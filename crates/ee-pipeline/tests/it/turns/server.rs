//! Turns with a real chat server: protocol, streaming, isolation and audit. The model is tiny, so
//! nothing is said about what it elects: a grammar makes it elect, and its answer may be anything.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ee_embed::Models;
use ee_embed::registry::TEST_ASSETS;
use ee_pipeline::{
    Cancellation, ChatError, ChatReply, ChatRequest, ChatSession, OpenAiConfig, OpenAiSession,
};
use ee_store::Outcome;
use serde_json::json;

use super::world::{PAGES, World};

/// The server as a child process. It ends when its standard input does.
struct Server {
    child: Child,
    base_url: String,
}

impl Server {
    fn start() -> Self {
        let folder = Models::default_folder().expect("a home folder");
        let models = Models::in_folder(folder);
        let asset = |name: &str| {
            let spec = TEST_ASSETS.iter().find(|spec| spec.name == name).unwrap();
            let folder = models.asset(spec);
            folder.unwrap_or_else(|error| panic!("{error}: run `cargo xtask fetch-model --chat`"))
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/serve.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg(asset("smollm2-135m").join("SmolLM2-135M-Instruct.Q4_1.gguf"))
            .env("PYTHONPATH", asset("xllamacpp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| line.ok().filter(|line| line.starts_with("http")));
        let address = address.expect("the server prints its address");
        Self {
            child,
            base_url: format!("{}/v1", address.trim_end_matches('/')),
        }
    }

    fn session(&self, grammar: &str) -> OpenAiSession {
        let extra = json!({"grammar": grammar, "seed": 1});
        let config = OpenAiConfig {
            base_url: self.base_url.clone(),
            model: "smollm2-135m".into(),
            temperature: Some(0.0),
            max_tokens: Some(24),
            extra: extra.as_object().unwrap().clone(),
            ..OpenAiConfig::default()
        };
        OpenAiSession::new(config, None).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// One grammar for the first call, another for the second.
struct Constrained {
    first: OpenAiSession,
    second: OpenAiSession,
}

impl ChatSession for Constrained {
    fn name(&self) -> &str {
        self.first.name()
    }

    fn supports_tools(&self) -> bool {
        false
    }

    fn complete(
        &self,
        request: &ChatRequest<'_>,
        on_text: &mut dyn FnMut(&str),
        cancellation: &Cancellation,
    ) -> Result<ChatReply, ChatError> {
        let injected = request.evidence.is_some_and(|evidence| evidence.injected);
        let session = if injected { &self.second } else { &self.first };
        let mut streamed = String::new();
        let reply = session.complete(
            request,
            &mut |text| {
                streamed.push_str(text);
                on_text(text);
            },
            cancellation,
        )?;
        assert_eq!(streamed, reply.text);
        assert!(
            reply
                .usage
                .is_some_and(|usage| usage.prompt > 0 && usage.completion > 0)
        );
        Ok(reply)
    }
}

#[test]
fn turns_with_a_real_server() {
    let server = Server::start();
    let world = World::new(&PAGES);
    let electing = Constrained {
        first: server.session("root ::= \"RETRIEVE 1\""),
        second: server.session("root ::= [A-Z] [a-z ]{4,40} \".\""),
    };
    let result = world.ask(&electing, "How many days of annual leave?");
    assert_eq!((result.calls, result.elected.len()), (2, 1));
    let tag = format!("\n[RAG:{}]", result.elected[0].tag);
    assert!(result.answer.ends_with(&tag) && !result.answer.contains("RETRIEVE"));
    assert!(result.usage.prompt > result.usage.completion);

    let direct = server.session("root ::= [A-Z] [a-z ]{4,40} \".\"");
    let second = world.ask(&direct, "And how many in Bonn?");
    assert_eq!((second.calls, second.elected.len()), (1, 0));

    let history = world.history();
    assert_eq!(history.len(), 4);
    assert!(
        history
            .iter()
            .all(|message| !message.text.contains("Unused leave"))
    );
    let Some(Outcome::Answered {
        calls,
        prompt_tokens,
        ..
    }) = world.last_turn().outcome
    else {
        panic!("the turn is not answered");
    };
    assert_eq!((calls, prompt_tokens), (1, second.usage.prompt));
}
