//! The small chat model of the tests behind llama.cpp's own server.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use ee_embed::Models;
use ee_embed::registry::TEST_ASSETS;

use crate::run::workspace_root;

/// The server as a child process. It ends when its standard input does.
pub(super) struct TestServer {
    child: Child,
    pub(super) base_url: String,
}

impl TestServer {
    pub(super) fn start() -> Result<Self> {
        let folder = Models::default_folder().context("cannot find the home folder: set HOME")?;
        let models = Models::in_folder(folder);
        let asset = |name: &str| {
            let spec = TEST_ASSETS.iter().find(|spec| spec.name == name);
            Ok::<_, anyhow::Error>(models.asset(spec.context("an asset of the tests")?)?)
        };
        let mut child = Command::new("python3")
            .arg(workspace_root().join("crates/ee-pipeline/tests/server/serve.py"))
            .arg(asset("smollm2-135m")?.join("SmolLM2-135M-Instruct.Q4_1.gguf"))
            .env("PYTHONPATH", asset("xllamacpp")?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start python3")?;
        let out = child.stdout.take().context("the server has no output")?;
        let mut lines = BufReader::new(out).lines();
        let address = lines.find_map(|line| line.ok().filter(|line| line.starts_with("http")));
        let address = address.context("the server ended before it said where it listens")?;
        Ok(Self {
            child,
            base_url: format!("{}/v1", address.trim_end_matches('/')),
        })
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
