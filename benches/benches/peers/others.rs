//! The other side: a Python process with an environment of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use benches::python::{environment, script};
use serde_json::{Value, json};

use crate::K;
use crate::data::{DIMENSION, QUERIES};
use crate::report::Point;

const PACKAGES: [&str; 7] = [
    "apsw",
    "faiss-cpu",
    "hnswlib",
    "matplotlib",
    "numpy",
    "sqlite-vec",
    "usearch",
];

/// An index of another project.
pub(crate) struct Other {
    name: &'static str,
    settings: &'static [u32],
    /// What a setting is.
    meaning: &'static str,
    /// Fewer queries for those that compare with everything.
    queries: usize,
    /// Larger collections take it too long.
    pub(crate) most_vectors: usize,
}

const fn other(
    name: &'static str,
    meaning: &'static str,
    settings: &'static [u32],
    queries: usize,
    most_vectors: usize,
) -> Other {
    Other {
        name,
        settings,
        meaning,
        queries,
        most_vectors,
    }
}

/// All others, in the order they are run.
pub(crate) const OTHERS: &[Other] = &[
    other(
        "hnswlib",
        "ef",
        &[20, 40, 80, 160, 320],
        QUERIES,
        usize::MAX,
    ),
    other(
        "usearch",
        "expansion",
        &[32, 64, 128, 256],
        QUERIES,
        200_000,
    ),
    other(
        "faiss IVF flat",
        "probes",
        &[8, 16, 32, 64, 128],
        QUERIES,
        usize::MAX,
    ),
    other(
        "faiss IVF RaBitQ fast scan + refine",
        "probes",
        &[16, 32, 64, 128, 256],
        QUERIES,
        usize::MAX,
    ),
    other("faiss LSH 512 bits + refine", "", &[0], QUERIES, 200_000),
    other("faiss exact", "", &[0], 100, 200_000),
    other("sqlite-vec", "", &[0], 30, 200_000),
];

/// The running process.
pub(crate) struct Others {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    found: PathBuf,
    versions: Value,
}

impl Others {
    /// Prepares the environment where it is missing, and starts the process over these files.
    pub(crate) fn start(vectors: &Path, queries: &Path, folder: &Path) -> Result<Self> {
        let python = python()?;
        let mut child = Command::new(&python)
            .arg(script("peers.py"))
            .args([vectors, queries])
            .arg(DIMENSION.to_string())
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut others = Self {
            child,
            input,
            output,
            found: folder.join("found.u32"),
            versions: Value::Null,
        };
        others.versions = others.answer()?;
        Ok(others)
    }

    pub(crate) fn versions(&self) -> &Value {
        &self.versions
    }

    /// Builds an index, or reads the one that an earlier run built; gives what is to be measured.
    pub(crate) fn build(&mut self, other: &Other) -> Result<Vec<Point>> {
        eprintln!("{}: building, or reading what was built", other.name);
        let answer = self.ask(&json!({ "build": other.name }))?;
        let (build_seconds, bytes) = (number(&answer, "seconds")?, number(&answer, "bytes")?);
        let point = |setting: &u32| Point {
            index: other.name.into(),
            setting: f64::from(*setting),
            meaning: other.meaning,
            queries: other.queries,
            build_seconds,
            bytes,
            recall: 0.0,
            queries_per_second: 0.0,
        };
        Ok(other.settings.iter().map(point).collect())
    }

    /// Seconds a query, and the keys found.
    pub(crate) fn search(&mut self, point: &Point) -> Result<(f64, Vec<Vec<u64>>)> {
        let answer = self.ask(&json!({
            "search": point.index,
            "setting": point.setting as u32,
            "queries": point.queries,
            "k": K,
            "found": self.found,
        }))?;
        let bytes = std::fs::read(&self.found)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let keys: Vec<u64> = numbers
            .iter()
            .map(|bytes| u64::from(u32::from_le_bytes(*bytes)))
            .collect();
        let found = keys.chunks(K).map(<[u64]>::to_vec).collect();
        Ok((number(&answer, "seconds")? / point.queries as f64, found))
    }

    fn ask(&mut self, command: &Value) -> Result<Value> {
        writeln!(self.input, "{command}")?;
        self.answer()
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

impl Drop for Others {
    fn drop(&mut self) {
        // It may have ended already; either way nothing is left of it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The interpreter of the environment.
pub(crate) fn python() -> Result<PathBuf> {
    environment("bench-peers-venv", &PACKAGES)
}

fn number(answer: &Value, name: &str) -> Result<f64> {
    let found = answer.get(name).and_then(Value::as_f64);
    found.with_context(|| format!("the other side told no {name}: {answer}"))
}
