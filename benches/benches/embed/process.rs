//! A Python process that answers every line with a line of JSON.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use benches::python::script;
use serde_json::Value;

/// A running script, loaded and waiting.
pub(crate) struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What it said when it was ready.
    pub(crate) ready: Value,
}

impl Process {
    /// Starts a script of `benches/python` and waits until it is ready.
    pub(crate) fn start(python: &Path, name: &str, arguments: &[&Path]) -> Result<Self> {
        let mut child = Command::new(python)
            .arg(script(name))
            .args(arguments)
            // They choose a kernel for old versions of the library that a current one runs slowly.
            .env_remove("OPENBLAS_CORETYPE")
            .env_remove("OPENBLAS_L2_SIZE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut process = Self {
            child,
            input,
            output,
            ready: Value::Null,
        };
        process.ready = process.answer()?;
        Ok(process)
    }

    /// Sends a line and waits for the answer.
    pub(crate) fn ask(&mut self, line: &str) -> Result<Value> {
        writeln!(self.input, "{line}")?;
        self.answer()
    }

    /// Lets it embed all chunks once; the seconds it took, measured over there.
    pub(crate) fn seconds(&mut self, line: &str) -> Result<f64> {
        let answer = self.ask(line)?;
        let seconds = answer.get("seconds").and_then(Value::as_f64);
        seconds.context("the other side told no time")
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(
            self.output.read_line(&mut line)? > 0,
            "the other side ended: see its message above"
        );
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already; either way nothing is left of it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
