//! Changing models, damaged indexes, and the state of health.

use std::fs;
use std::sync::Arc;

use ee_embed::LexicalEmbedder;
use ee_ingest::IngestConfig;
use ee_pipeline::{
    Cancellation, HealthReport, KnowledgeBase, PipelineError, SearchConfig, SearchSystem,
};
use ee_store::StoreError;
use km_core::Administrator;

use crate::support::{
    DIMENSION, Place, Silent, anybody, assert_in_step, found, open_with, parts, search, source,
};

fn filled(place: &Place) -> KnowledgeBase {
    let base = place.base();
    let mut sources = (0..40).map(|number| {
        source(
            &format!("{number:02}"),
            &format!("Note {number} says word{number}."),
        )
    });
    base.ingest_sources(&mut sources, &Silent, &Cancellation::default())
        .expect("a report");
    base
}

fn other_model() -> Arc<LexicalEmbedder> {
    Arc::new(LexicalEmbedder::new(DIMENSION / 2))
}

#[test]
fn another_model_is_refused_and_reembedding_offered() {
    let place = Place::new();
    drop(filled(&place));
    let error =
        open_with(place.path(), other_model(), SearchConfig::default()).expect_err("another model");
    assert!(
        matches!(error, PipelineError::Store(StoreError::OtherModel { .. })),
        "{error}"
    );
    assert!(error.to_string().contains("eerag reembed"), "{error}");
}

#[test]
fn reembedding_switches_every_unit() {
    let place = Place::new();
    let old = filled(&place);
    let before = place.content();
    let (base, report) = KnowledgeBase::reembed(
        parts(place.path(), other_model()),
        IngestConfig::default(),
        SearchConfig::default(),
        Administrator::assume(),
        &Silent,
        &Cancellation::default(),
    )
    .expect("a report");
    assert_eq!(
        (report.units, report.embeddings, report.cancelled),
        (40, 40, false)
    );
    assert_eq!(place.content(), before);
    assert_eq!(found(&base, "word7", SearchSystem::Hybrid)[0], "07");
    assert_in_step(&place, &base);
    // Whoever still holds the old model is told so at the next search.
    let request = ee_pipeline::SearchRequest {
        query: "word7".to_owned(),
        k: 3,
        system: SearchSystem::Hybrid,
        scope: anybody(),
    };
    let error = old.search(&request).expect_err("the old model");
    assert!(
        matches!(error, PipelineError::Store(StoreError::OtherModel { .. })),
        "{error}"
    );
}

#[test]
fn a_cancelled_reembedding_changes_nothing() {
    let place = Place::new();
    drop(filled(&place));
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let (_, report) = KnowledgeBase::reembed(
        parts(place.path(), other_model()),
        IngestConfig::default(),
        SearchConfig::default(),
        Administrator::assume(),
        &Silent,
        &cancellation,
    )
    .expect("a report");
    assert!(report.cancelled);
    assert_eq!(found(&place.base(), "word7", SearchSystem::Hybrid)[0], "07");
}

#[test]
fn a_kept_vector_index_follows_from_where_it_stood() {
    let place = Place::new();
    drop(filled(&place));
    assert!(place.vector_file().exists());
    let base = place.base();
    assert_in_step(&place, &base);
    let mut more = [source("99", "Note 99 says word99.")].into_iter();
    base.ingest_sources(&mut more, &Silent, &Cancellation::default())
        .expect("a report");
    assert_in_step(&place, &place.base());
}

#[test]
fn damaged_and_missing_indexes_are_rebuilt() {
    let place = Place::new();
    let expected: Vec<f32> = search(&filled(&place), "word7", SearchSystem::Hybrid)
        .hits
        .iter()
        .map(|hit| hit.score)
        .collect();
    let sound = fs::read(place.vector_file()).expect("the kept index");
    let mut flipped = sound.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x40;
    for damaged in [
        &[][..],
        &sound[..sound.len() / 2],
        &flipped,
        b"not an index at all",
    ] {
        fs::write(place.vector_file(), damaged).expect("a file");
        let scores: Vec<f32> = search(&place.base(), "word7", SearchSystem::Hybrid)
            .hits
            .iter()
            .map(|hit| hit.score)
            .collect();
        assert_eq!(scores, expected);
    }
    fs::remove_file(place.vector_file()).expect("the file");
    fs::remove_dir_all(place.store().text_index_folder()).expect("the folder");
    let base = place.base();
    assert_eq!(found(&base, "word7", SearchSystem::Hybrid)[0], "07");
    assert_in_step(&place, &base);
}

#[test]
fn reindexing_rebuilds_both_indexes() {
    let place = Place::new();
    let base = filled(&place);
    base.reindex(Administrator::assume()).expect("rebuilt");
    assert_eq!(found(&base, "word7", SearchSystem::Hybrid)[0], "07");
    assert_in_step(&place, &base);
}

#[test]
fn health_is_told_with_the_command_that_mends() {
    let place = Place::new();
    drop(filled(&place));
    let report =
        |embedder| HealthReport::of(&parts(place.path(), embedder), Administrator::assume());
    let sound = report(Arc::new(LexicalEmbedder::new(DIMENSION)));
    assert!(sound.is_sound(), "{sound:?}");
    assert_eq!(sound.vectors, sound.text);
    let other = report(other_model());
    assert_eq!(other.findings.len(), 1, "{other:?}");
    assert_eq!(other.findings[0].remedy, "eerag reembed");
}
