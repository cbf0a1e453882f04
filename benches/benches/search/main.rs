//! Search among 100,000 units, or as many as are named: milliseconds per query, with the recall of
//! the vector index, the memory that the process holds, and how long storing and indexing took.
//!
//! Text, store, text index, vector index, scope, fusion and embedder are the real ones. Only the
//! units are made up, from the fixtures' words, and to keep the preparation short a unit's vector
//! is the model's embedding of its first twelve words alone; beyond 100,000 it lies around one of
//! these.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Result;
use benches::corpus::Corpus;
use benches::prepared::{Prepared, stored_vectors};
use benches::statistics::Sample;
use benches::{SEED, is_measuring, machine, models};
use ee_embed::{Embedder, OnnxEmbedder};
use ee_index::{ExactIndex, VectorIndex};
use ee_pipeline::{KnowledgeBase, PipelineConfig, SearchRequest, SearchResponse, SearchSystem};
use ee_store::{KnowledgeStore, SqliteStore, UnitKey};
use km_core::{AccessScope, Identity, Timestamp};
use serde_json::{Value, json};

const UNITS: usize = 100_000;
const QUERIES: usize = 600;
const WARM_UP: usize = 100;
/// Queries that are compared with every vector, which takes long.
const COMPARED: usize = 200;
const K: usize = 10;
const SYSTEMS: [SearchSystem; 3] = [
    SearchSystem::Bm25,
    SearchSystem::Dense,
    SearchSystem::Hybrid,
];

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let machine = machine::describe();
    let corpus = Corpus::load()?;
    let embedder = Arc::new(models::default_embedder()?);
    let named = std::env::args().find_map(|argument| argument.parse().ok());
    let units = named.unwrap_or(UNITS);
    let prepared = Prepared::of(units, &corpus, &(embedder.clone() as _))?;
    let written = prepared.written()?;
    let store = Arc::new(prepared.open()?);
    let config = PipelineConfig::default().search;
    let base = prepared.knowledge(&store, embedder.clone(), None, config)?;
    let searcher = Searcher {
        base,
        scope: AccessScope::new(Identity::default(), Timestamp::now()),
    };
    let queries = corpus.queries(WARM_UP + QUERIES, SEED);
    let (measured, warm_up) = queries.split_at(QUERIES);
    let times = SYSTEMS.map(|system| searcher.times(system, warm_up, measured));
    let [bm25, dense, hybrid] = times;
    let times = [bm25?, dense?, hybrid?];
    let resident = machine::resident_bytes();
    let recall = recall(&searcher, &store, &embedder, measured)?;
    println!("{units} units, stored and indexed in {written}");
    print_table(&times, recall);
    if let Some(bytes) = resident {
        println!("resident memory {:.0} MB", bytes as f64 / 1e6);
    }
    let mut report = report(&times, recall, &embedder, &machine);
    if let Some(fields) = report.as_object_mut() {
        fields.insert("units".to_owned(), json!(units));
        fields.insert("written_seconds".to_owned(), json!(written.seconds));
        let processor = json!(written.processor_seconds);
        fields.insert("written_processor_seconds".to_owned(), processor);
        fields.insert("resident_bytes".to_owned(), json!(resident));
    }
    println!("{report}");
    Ok(())
}

/// A knowledge base and who asks it.
struct Searcher {
    base: KnowledgeBase,
    scope: AccessScope,
}

impl Searcher {
    fn search(&self, query: &str, system: SearchSystem) -> Result<SearchResponse> {
        let request = SearchRequest {
            query: query.to_owned(),
            k: K,
            system,
            scope: self.scope.clone(),
        };
        Ok(self.base.search(&request)?)
    }

    /// Milliseconds per query without its embedding, after some others to warm up.
    fn times(
        &self,
        system: SearchSystem,
        warm_up: &[String],
        measured: &[String],
    ) -> Result<Sample> {
        for query in warm_up {
            self.search(query, system)?;
        }
        let time = |query: &String| Ok(self.search(query, system)?.search_milliseconds);
        Ok(Sample::new(
            measured.iter().map(time).collect::<Result<Vec<f64>>>()?,
        ))
    }
}

/// The share of the ten nearest visible units that dense search returns.
fn recall(
    searcher: &Searcher,
    store: &SqliteStore,
    embedder: &OnnxEmbedder,
    queries: &[String],
) -> Result<f64> {
    let exact = exact_index(store, embedder.fingerprint().dimension)?;
    let visible = store.visible(&searcher.scope)?;
    let mut found = Vec::with_capacity(COMPARED);
    for query in queries.iter().take(COMPARED) {
        let vector = embedder.embed_query(query)?.vector;
        let nearest = exact.search(&vector, K, Some(&|key| visible.contains(key)))?;
        let hits = searcher.search(query, SearchSystem::Dense)?.hits;
        let hits: BTreeSet<UnitKey> = hits.iter().map(|hit| hit.unit.key).collect();
        let common = nearest
            .iter()
            .filter(|near| hits.contains(&near.key))
            .count();
        found.push(common as f64 / nearest.len() as f64);
    }
    Ok(Sample::new(found).mean())
}

/// Every stored vector, to be compared with one by one.
fn exact_index(store: &SqliteStore, dimension: usize) -> Result<ExactIndex> {
    let exact = ExactIndex::new(dimension);
    for (key, vector) in stored_vectors(store)? {
        exact.upsert(&[(key, &*vector)])?;
    }
    Ok(exact)
}

fn report(times: &[Sample; 3], recall: f64, embedder: &OnnxEmbedder, machine: &Value) -> Value {
    let [bm25, dense, hybrid] = times;
    let milliseconds = |sample: &Sample| {
        json!({
            "p50": sample.median(),
            "p99": sample.percentile(99.0),
            "mean": sample.mean(),
            "most": sample.percentile(100.0),
        })
    };
    json!({
        "benchmark": "search",
        "queries": QUERIES,
        "k": K,
        "milliseconds_without_query_embedding": {
            "hybrid": milliseconds(hybrid),
            "dense": milliseconds(dense),
            "bm25": milliseconds(bm25),
        },
        "vector_index_recall_at_10": recall,
        "vectors": "embeddings of each unit's first 12 words",
        "model": embedder.fingerprint().model,
        "seed": SEED,
        "version": env!("CARGO_PKG_VERSION"),
        "machine": machine,
    })
}

fn print_table(times: &[Sample; 3], recall: f64) {
    println!("{QUERIES} queries, k = {K}; milliseconds without the query's embedding");
    println!("{:>8} {:>8} {:>8} {:>8}", "system", "p50", "p99", "mean");
    for (name, sample) in ["bm25", "dense", "hybrid"].iter().zip(times) {
        let (median, tail, mean) = (sample.median(), sample.percentile(99.0), sample.mean());
        println!("{name:>8} {median:>8.2} {tail:>8.2} {mean:>8.2}");
    }
    println!("recall@10 of the vector index against exact comparison: {recall:.4}");
}
