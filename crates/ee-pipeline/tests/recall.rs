//! Recall of the vector indexes on real embeddings, of this project's own sentences.
//! `cargo xtask fetch-model` brings the model.

#![cfg(feature = "test-models")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests report by panicking"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ee_embed::{EmbedConfig, Embedder, Models, OnnxEmbedder, runtime_library};
use ee_index::conformance::measure_recall;
use ee_index::{HyperplaneLsh, IndexConfig, LshIndex, VectorIndex};

const SENTENCES: usize = 3_200;
const QUERIES: usize = 200;

fn embedder() -> OnnxEmbedder {
    let models = Models::in_folder(Models::default_folder().unwrap());
    let config = EmbedConfig::default();
    let files = models
        .embedder(&config.model)
        .unwrap_or_else(|e| panic!("{e}"));
    let library = runtime_library(None, models.folder());
    OnnxEmbedder::open(&files, &library, &config).unwrap_or_else(|e| panic!("{e}"))
}

/// All files below a folder whose names end in one of `endings`.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let found = paths.into_iter().flat_map(|path| {
        if path.is_dir() {
            return files(&path, endings);
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let wanted = ending.is_some_and(|ending| endings.contains(&ending));
        wanted.then_some(path).into_iter().collect()
    });
    found.collect()
}

/// Different sentences and lines of this project's documents and comments, in no order.
fn sentences() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["fixtures", "docs", "crates", "xtask", "benches"];
    let paths = folders
        .iter()
        .flat_map(|folder| files(&root.join(folder), &["md", "rs"]));
    let mut kept = BTreeSet::new();
    for path in paths {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let lines = text
            .lines()
            .map(|line| line.trim_start_matches(['/', '!', ' ', '#', '|', '-']));
        let long = lines.filter(|line| line.split(' ').count() >= 6);
        kept.extend(long.map(str::to_owned));
    }
    let mut kept: Vec<String> = kept.into_iter().collect();
    fastrand::Rng::with_seed(42).shuffle(&mut kept);
    kept.truncate(SENTENCES);
    kept
}

#[test]
fn on_real_embeddings() {
    let sentences = sentences();
    assert_eq!(
        sentences.len(),
        SENTENCES,
        "the project has become too small for this test"
    );
    let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
    let embeddings = embedder().embed_documents(&texts).unwrap();
    let vectors: Vec<&[f32]> = embeddings.iter().map(|e| e.vector.as_slice()).collect();
    let (queries, held) = vectors.split_at(QUERIES);
    let entries: Vec<(u64, &[f32])> = (0..).zip(held.iter().copied()).collect();
    let recall = |index: &dyn VectorIndex| {
        index.upsert(&entries).unwrap();
        measure_recall(index, &entries, queries, 10)
    };
    let config = IndexConfig::default();
    let hyperplanes = recall(&HyperplaneLsh::new(384, &config).unwrap());
    assert!(hyperplanes >= 0.90, "hyperplanes find {hyperplanes:.3}");
    println!("hyperplanes find {hyperplanes:.3}");
    let codes = recall(&LshIndex::new(384, &config).unwrap());
    println!("codes find {codes:.3}");
    assert!(codes >= 0.97, "codes find {codes:.3}");
}
