//! The other sides: Python processes in environments of their own, with the same weights.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use benches::python::{environment, read_floats, run, script};
use benches::{models, prepared_folder};
use ee_embed::{EmbedConfig, EmbedderFiles, WeightsFile};
use serde_json::Value;

use crate::process::Process;

/// What Python needs; the runtime is the version that this project fetches.
const PACKAGES: [&str; 5] = [
    "numpy",
    "onnx",
    "onnxruntime==1.28.0",
    "safetensors",
    "tokenizers",
];
/// The usual library, with gigabytes of what it needs.
const LIBRARY: [&str; 1] = ["sentence-transformers"];
/// The model whose file carries `PyTorch`'s own export of the graph.
const EXPORTED: &str = "all-MiniLM-L6-v2-int8";

/// The other sides, loaded and waiting.
pub(crate) struct Sides {
    /// Python with ONNX Runtime.
    pub(crate) runtime: Process,
    /// sentence-transformers, where it can be installed.
    pub(crate) library: Option<Process>,
    /// Matrix products alone.
    pub(crate) peak: Process,
    vectors: PathBuf,
}

impl Sides {
    /// Prepares environments and models where they are missing, and starts the processes.
    pub(crate) fn start(chunks: &[String], window: usize, cores: usize) -> Result<Self> {
        let folder = prepared_folder("bench-data/embed");
        std::fs::create_dir_all(&folder)?;
        let python = environment("bench-venv", &PACKAGES)?;
        let files = models::fetched(&EmbedConfig::default().model)?;
        let model = onnx_file(&files, &python, &folder)?;
        let (texts, vectors) = (folder.join("chunks.json"), folder.join("vectors.f32"));
        std::fs::write(&texts, serde_json::to_vec(chunks)?)?;
        let (window, cores) = (window.to_string(), cores.to_string());
        let shared = [files.tokenizer.as_path(), Path::new(&window)];
        let data = [texts.as_path(), vectors.as_path()];
        let arguments = [&[model.as_path()], &shared[..], &data[..]].concat();
        Ok(Self {
            runtime: Process::start(&python, "embed_baseline.py", &arguments)?,
            library: library(&files, &shared, &folder.join("library"), &data),
            peak: Process::start(&python, "matrix_peak.py", &[Path::new(&cores)])?,
            vectors,
        })
    }

    /// The vectors of the last run of any side.
    pub(crate) fn vectors(&self, dimension: usize) -> Result<Vec<Vec<f32>>> {
        let values = read_floats(&self.vectors)?;
        ensure!(values.len() % dimension == 0, "vectors cut short");
        Ok(values.chunks(dimension).map(<[f32]>::to_vec).collect())
    }

    /// The better of the two ways to multiply matrices, in 10⁹ operations a second.
    pub(crate) fn peak(&mut self) -> Result<f64> {
        let answer = self.peak.ask("run")?;
        let ways = answer.as_object().context("no peak")?;
        let rates = ways.values().filter_map(Value::as_f64);
        Ok(rates.fold(f64::NAN, f64::max))
    }
}

/// The usual library; `None`, with a word why, where it cannot be had.
fn library(
    files: &EmbedderFiles,
    shared: &[&Path],
    folder: &Path,
    data: &[&Path],
) -> Option<Process> {
    let WeightsFile::Safetensors(weights) = &files.weights else {
        eprintln!("without sentence-transformers: the model has no safetensors file");
        return None;
    };
    let arguments = [&[weights.as_path()], shared, &[folder], data].concat();
    let started = environment("bench-library-venv", &LIBRARY)
        .and_then(|python| Process::start(&python, "embed_library.py", &arguments));
    started
        .inspect_err(|error| eprintln!("without sentence-transformers: {error:#}"))
        .ok()
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
