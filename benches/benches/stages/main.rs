//! The stages of a query one by one, among 100,000 units or as many as are named: tokenising,
//! embedding, the scope, both candidate lists, and fetching units; then whole searches without the
//! embedding. Recall of the vector index is printed before the times.
//!
//! The store is that of the benchmark `search`. `cargo xtask bench stages 1000000 hybrid` takes a
//! million units and measures only what has `hybrid` in its name.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use benches::corpus::Corpus;
use benches::prepared::{Prepared, stored_vectors};
use benches::{SEED, is_measuring, models};
use criterion::Criterion;
use ee_embed::{Embedder, OnnxEmbedder};
use ee_index::{AdaptiveIndex, IndexConfig, VectorIndex, conformance::measure_recall};
use ee_pipeline::{KnowledgeBase, PipelineConfig, SearchRequest, SearchSystem};
use ee_store::{KnowledgeStore, SqliteStore, TantivyIndex, TextIndex, UnitKey};
use km_core::{AccessScope, Identity, Timestamp};

const UNITS: usize = 100_000;
const QUERIES: usize = 200;
/// Candidates that each side gives a search.
const CANDIDATES: usize = 100;
const K: usize = 10;

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let words = std::env::args().skip(1);
    let (numbers, filters): (Vec<String>, Vec<String>) = words
        .filter(|word| !word.starts_with('-'))
        .partition(|word| word.parse::<usize>().is_ok());
    let named = numbers.first().map(|number| number.parse());
    let units = named.transpose()?.unwrap_or(UNITS);
    let corpus = Corpus::load()?;
    let embedder = Arc::new(models::default_embedder()?);
    let prepared = Prepared::of(units, &corpus, &(embedder.clone() as _))?;
    let store = Arc::new(prepared.open()?);
    let config = PipelineConfig::default().search;
    let base = prepared.knowledge(&store, embedder.clone(), None, config)?;
    let queries = corpus.queries(QUERIES, SEED);
    let mut criterion = Criterion::default();
    if let Some(filter) = filters.into_iter().next() {
        criterion = criterion.with_filter(filter);
    }
    let scope = AccessScope::new(Identity::default(), Timestamp::now());
    query(&mut criterion, &embedder, &queries);
    candidates(&mut criterion, &store, &scope, &embedder, &queries)?;
    searches(&mut criterion, &base, &scope, &queries);
    criterion.final_summary();
    Ok(())
}

/// From the text of a query to its vector.
fn query(criterion: &mut Criterion, embedder: &OnnxEmbedder, queries: &[String]) {
    let mut turn = queries.iter().cycle();
    criterion.bench_function("stage/tokenise", |bencher| {
        bencher.iter(|| embedder.count_tokens(turn.next().map_or("", String::as_str)));
    });
    criterion.bench_function("stage/embed", |bencher| {
        bencher.iter(|| embedder.embed_query(turn.next().map_or("", String::as_str)));
    });
}

/// What the scope admits, what each side finds there, and the units.
fn candidates(
    criterion: &mut Criterion,
    store: &SqliteStore,
    scope: &AccessScope,
    embedder: &OnnxEmbedder,
    queries: &[String],
) -> Result<()> {
    let embedded = queries.iter().map(|query| embedder.embed_query(query));
    let vectors: Vec<Vec<f32>> = embedded
        .map(|made| Ok(made?.vector))
        .collect::<Result<_>>()?;
    let (index, all) = vector_index(store, embedder)?;
    let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
    let recall = measure_recall(&index, &entries(&all), &slices, K);
    println!(
        "vector index: recall@{K} {recall:.4} of {} vectors",
        all.len()
    );
    let text = TantivyIndex::open(&store.text_index_folder(), &store.store_id()?)?;
    let visible = store.visible(scope)?;
    let admits = |key: UnitKey| visible.contains(key);
    criterion.bench_function("stage/scope", |bencher| {
        bencher.iter(|| black_box(store.visible(scope)));
    });
    let mut turn = queries.iter().cycle();
    criterion.bench_function("stage/full text", |bencher| {
        bencher.iter(|| text.search(turn.next().map_or("", String::as_str), CANDIDATES, &admits));
    });
    let mut turn = slices.iter().cycle();
    criterion.bench_function("stage/vectors", |bencher| {
        bencher.iter(|| index.search(turn.next().unwrap_or(&&[][..]), CANDIDATES, Some(&admits)));
    });
    let found = slices
        .iter()
        .map(|query| index.search(query, K, Some(&admits)));
    let found: Vec<Vec<UnitKey>> = found
        .map(|near| Ok(near?.iter().map(|near| near.key).collect()))
        .collect::<Result<_>>()?;
    let mut turn = found.iter().cycle();
    criterion.bench_function("stage/fetch", |bencher| {
        bencher.iter(|| store.units(scope, turn.next().map_or(&[][..], Vec::as_slice)));
    });
    Ok(())
}

type Stored = Vec<(UnitKey, Arc<[f32]>)>;

fn entries(stored: &Stored) -> Vec<(UnitKey, &[f32])> {
    stored
        .iter()
        .map(|(key, vector)| (*key, &**vector))
        .collect()
}

/// An index of the stored vectors in default settings, and the vectors.
fn vector_index(store: &SqliteStore, embedder: &OnnxEmbedder) -> Result<(AdaptiveIndex, Stored)> {
    let dimension = embedder.fingerprint().dimension;
    let stored = stored_vectors(store)?;
    let index = AdaptiveIndex::new(dimension, &IndexConfig::default())?;
    for entries in entries(&stored).chunks(4_096) {
        index.upsert(entries)?;
    }
    Ok((index, stored))
}

/// Whole searches, less the embedding of the query.
fn searches(
    criterion: &mut Criterion,
    base: &KnowledgeBase,
    scope: &AccessScope,
    queries: &[String],
) {
    let systems = [
        ("full text", SearchSystem::Bm25),
        ("dense", SearchSystem::Dense),
        ("hybrid", SearchSystem::Hybrid),
    ];
    for (name, system) in systems {
        let mut turn = queries.iter().cycle();
        let mut search = || {
            let request = SearchRequest {
                query: turn.next().cloned().unwrap_or_default(),
                k: K,
                system,
                scope: scope.clone(),
            };
            let response = base.search(&request);
            response.map_or(0.0, |response| response.search_milliseconds)
        };
        criterion.bench_function(&format!("search/{name}"), |bencher| {
            bencher.iter_custom(|times| {
                let milliseconds: f64 = (0..times).map(|_| search()).sum();
                Duration::from_secs_f64(milliseconds / 1e3)
            });
        });
    }
}
