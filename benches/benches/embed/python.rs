//! The other side: a Python process with its own environment and the same model as an ONNX file.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use benches::python::{environment, read_floats, run, script};
use benches::{models, prepared_folder};
use ee_embed::{EmbedConfig, EmbedderFiles, WeightsFile};
use serde_json::Value;

/// What the Python side needs; the runtime is the version that this project fetches.
const PACKAGES: [&str; 5] = [
    "numpy",
    "onnx",
    "onnxruntime==1.28.0",
    "safetensors",
    "tokenizers",
];
/// The model whose file carries `PyTorch`'s own export of the graph.
const EXPORTED: &str = "all-MiniLM-L6-v2-int8";

/// A running baseline, loaded and waiting.
pub(crate) struct Baseline {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    vectors: PathBuf,
    versions: Value,
}

impl Baseline {
    /// Prepares environment and model where they are missing, and starts the process.
    pub(crate) fn start(chunks: &[String], window: usize) -> Result<Self> {
        let folder = prepared_folder("bench-data/embed");
        std::fs::create_dir_all(&folder)?;
        let python = environment("bench-venv", &PACKAGES)?;
        let files = models::fetched(&EmbedConfig::default().model)?;
        let model = onnx_file(&files, &python, &folder)?;
        let (texts, vectors) = (folder.join("chunks.json"), folder.join("vectors.f32"));
        std::fs::write(&texts, serde_json::to_vec(chunks)?)?;
        let mut child = Command::new(&python)
            .arg(script("embed_baseline.py"))
            .args([&model, &files.tokenizer])
            .arg(window.to_string())
            .args([&texts, &vectors])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut baseline = Self {
            child,
            input,
            output,
            vectors,
            versions: Value::Null,
        };
        baseline.versions = baseline.answer()?;
        Ok(baseline)
    }

    /// Versions of Python and its packages.
    pub(crate) fn versions(&self) -> &Value {
        &self.versions
    }

    /// Embeds all chunks once; the seconds it took, measured over there.
    pub(crate) fn run(&mut self) -> Result<f64> {
        writeln!(self.input, "run")?;
        let answer = self.answer()?;
        answer
            .get("seconds")
            .and_then(Value::as_f64)
            .context("the baseline told no time")
    }

    /// The vectors of the last run.
    pub(crate) fn vectors(&self, dimension: usize) -> Result<Vec<Vec<f32>>> {
        let values = read_floats(&self.vectors)?;
        ensure!(values.len() % dimension == 0, "vectors cut short");
        Ok(values.chunks(dimension).map(<[f32]>::to_vec).collect())
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(
            self.output.read_line(&mut line)? > 0,
            "the baseline ended: see its message above"
        );
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        // It may have ended already; either way nothing is left of it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same fp32 weights as an exported graph: the model's own file where it is one, else the
/// original weights put into the exported graph.
fn onnx_file(files: &EmbedderFiles, python: &Path, folder: &Path) -> Result<PathBuf> {
    let weights = match &files.weights {
        WeightsFile::Onnx(file) => return Ok(file.clone()),
        WeightsFile::Safetensors(file) => file,
    };
    let output = folder.join("all-MiniLM-L6-v2-fp32.onnx");
    if output.is_file() {
        return Ok(output);
    }
    let WeightsFile::Onnx(exported) = models::fetched(EXPORTED)?.weights else {
        bail!("{EXPORTED} has no exported graph");
    };
    let unfinished = output.with_extension("unfinished");
    let make = script("fp32_model.py");
    run(Command::new(python)
        .arg(make)
        .args([&exported, weights, &unfinished]))?;
    std::fs::rename(&unfinished, &output)?;
    Ok(output)
}
