//! The real models against reference values. `cargo xtask fetch-model` brings what they need.

use std::path::Path;
use std::sync::LazyLock;

use ee_embed::conformance::check_embedder;
use ee_embed::{
    EmbedConfig, EmbedError, Embedder, Models, OnnxEmbedder, OnnxReranker, Reranker,
    runtime_library,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::common::dot;

static MODELS: LazyLock<Models> =
    LazyLock::new(|| Models::in_folder(Models::default_folder().expect("HOME is set")));

fn embedder(name: &str) -> OnnxEmbedder {
    let library = runtime_library(None, MODELS.folder());
    let files = MODELS
        .embedder(name)
        .unwrap_or_else(|error| panic!("{error}"));
    OnnxEmbedder::open(&files, &library, &EmbedConfig::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn reranker() -> OnnxReranker {
    let library = runtime_library(None, MODELS.folder());
    let files = MODELS
        .reranker("ms-marco-MiniLM-L-12-v2")
        .unwrap_or_else(|e| panic!("{e}"));
    OnnxReranker::open(&files, &library, &EmbedConfig::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn fixture<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/parity")
        .join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[derive(Deserialize)]
struct Reference {
    text: String,
    embedding: Vec<f32>,
}

/// The least cosine between our vectors and the reference ones, all texts in one call.
fn least_cosine(name: &str) -> f32 {
    let references: Vec<Reference> = fixture("minilm_reference.jsonl");
    let texts: Vec<&str> = references
        .iter()
        .map(|reference| reference.text.as_str())
        .collect();
    let ours = embedder(name).embed_documents(&texts).unwrap();
    let cosines = ours
        .iter()
        .zip(&references)
        .filter(|(_, r)| !r.text.trim().is_empty());
    cosines
        .map(|(ours, reference)| dot(&ours.vector, &reference.embedding))
        .fold(1.0, f32::min)
}

#[test]
fn fp32_vectors_equal_the_reference() {
    let least = least_cosine("all-MiniLM-L6-v2");
    assert!(least >= 0.9999, "least cosine {least}");
}

#[test]
fn int8_vectors_come_close_to_the_reference() {
    let least = least_cosine("all-MiniLM-L6-v2-int8");
    assert!(least >= 0.995, "least cosine {least}");
}

#[test]
fn every_embedder_conforms() {
    for name in [
        "all-MiniLM-L6-v2",
        "all-MiniLM-L6-v2-int8",
        "bge-small-en-v1.5",
    ] {
        check_embedder(&embedder(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn a_query_prefix_moves_the_query_and_not_the_document() {
    let embedder = embedder("bge-small-en-v1.5");
    let text = "How long is a token valid?";
    let (query, document) = (
        embedder.embed_query(text).unwrap(),
        embedder.embed_documents(&[text]).unwrap(),
    );
    let cosine = dot(&query.vector, &document[0].vector);
    assert!(cosine < 0.999 && cosine > 0.5, "{cosine}");
}

#[derive(Deserialize)]
struct Pair {
    query: String,
    document: String,
    logit: f32,
    probability: f32,
}

/// How far a logit may lie from the reference, which was made on a processor with AVX2 alone.
/// There the 16-bit sums of int8 products saturate; where the processor has VNNI they do not.
fn logit_tolerance() -> f32 {
    #[cfg(target_arch = "x86_64")]
    if !is_x86_feature_detected!("avx512vnni") && !is_x86_feature_detected!("avxvnni") {
        return 0.01;
    }
    0.5
}

#[test]
fn pair_scores_equal_the_reference() {
    let (reranker, tolerance) = (reranker(), logit_tolerance());
    for pair in fixture::<Pair>("reranker_reference.jsonl") {
        let scores = reranker.score(&pair.query, &[&pair.document]).unwrap();
        assert!(
            (scores[0].logit - pair.logit).abs() <= tolerance,
            "{} {}",
            scores[0].logit,
            pair.logit
        );
        // The logistic function is nowhere steeper than a quarter.
        assert!((scores[0].probability - pair.probability).abs() <= tolerance.max(0.012) / 4.0);
    }
}

#[test]
fn a_pair_score_does_not_depend_on_its_neighbours() {
    let reranker = reranker();
    let documents = [
        "Tokens last one hour.",
        "The canteen opens at eight.",
        "知识地图",
        "",
    ];
    let together = reranker
        .score("How long is a token valid?", &documents)
        .unwrap();
    for (document, score) in documents.iter().zip(&together) {
        let alone = reranker
            .score("How long is a token valid?", &[document])
            .unwrap();
        assert_eq!(
            alone[0].logit.to_bits(),
            score.logit.to_bits(),
            "{document:?}"
        );
    }
}

#[test]
fn long_documents_are_cut_in_the_open_and_long_queries_refused() {
    let reranker = reranker();
    let long = "word ".repeat(2_000);
    assert!(reranker.score("short", &[&long]).unwrap()[0].truncated);
    let error = reranker.score(&long, &["short"]).unwrap_err();
    assert!(
        matches!(error, EmbedError::QueryTooLong { found: 2002, .. }),
        "{error}"
    );
}

#[test]
fn many_threads_share_one_embedder() {
    let embedder = embedder("all-MiniLM-L6-v2");
    let expected = embedder.embed_query("A shared question").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let vector = embedder.embed_query("A shared question").unwrap().vector;
                assert!(dot(&vector, &expected.vector) > 0.9999);
            });
        }
    });
}
