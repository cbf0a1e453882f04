//! A conversation of 100,000 messages: milliseconds to choose what a turn sees, to file a turn, and
//! to open it again.
//!
//! Store, lines of work and the search among turns are the real ones. Texts are runs of the
//! fixtures' words and vectors are lexical, so that the preparation takes minutes and not hours.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use benches::corpus::Corpus;
use benches::statistics::Sample;
use benches::{SEED, is_measuring, machine};
use ee_embed::LexicalEmbedder;
use ee_ingest::IngestConfig;
use ee_pipeline::{Engine, KnowledgeBase, KnowledgeParts, SearchConfig, TurnConfig, TurnRequest};
use ee_store::{ConversationId, ConversationStore, Role, SqliteStore, StoreConfig, TantivyIndex};
use km_core::{AccessScope, Identity, Timestamp};
use serde_json::json;

const MESSAGES: usize = 100_000;
const TURNS: usize = 200;
const DIMENSION: usize = 384;
/// Milliseconds between two messages.
const PACE: i64 = 90_000;

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let machine = machine::describe();
    let corpus = Corpus::load()?;
    let folder = std::env::temp_dir().join(format!("eerag-bench-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = measure(&corpus, &folder);
    std::fs::remove_dir_all(&folder)?;
    let (file, open, select) = outcome?;
    println!("{MESSAGES} messages, {TURNS} turns");
    println!("  filing them all     {file:>9.1} s, once");
    println!("  opening again       {open:>9.1} s, once per process");
    println!(
        "  selection for a turn p50 {:.1} ms, p99 {:.1} ms",
        select.median(),
        select.percentile(99.0)
    );
    let report = json!({
        "benchmark": "memory", "messages": MESSAGES, "turns": TURNS, "seed": SEED,
        "filing_seconds": file, "opening_seconds": open,
        "selection_milliseconds": { "p50": select.median(), "p99": select.percentile(99.0) },
        "version": env!("CARGO_PKG_VERSION"), "machine": machine,
    });
    println!("{report}");
    Ok(())
}

/// Seconds to file all messages, seconds to open the conversation again, milliseconds per turn.
fn measure(corpus: &Corpus, folder: &std::path::Path) -> Result<(f64, f64, Sample)> {
    let store = Arc::new(SqliteStore::open(
        &folder.join("eerag.db"),
        StoreConfig::default(),
    )?);
    let name = ConversationId::new("long");
    fill(corpus, &store, &name)?;
    let questions = corpus.queries(TURNS, SEED);
    let first = questions.first().context("the corpus gives questions")?;
    let start = Instant::now();
    engine(&store)?.context(&request(&name, first)?)?;
    let file = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let engine = engine(&store)?;
    engine.context(&request(&name, first)?)?;
    let open = start.elapsed().as_secs_f64();
    let mut times = Vec::with_capacity(TURNS);
    for question in &questions {
        let request = request(&name, question)?;
        let start = Instant::now();
        engine.context(&request)?;
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok((file, open, Sample::new(times)))
}

fn fill(corpus: &Corpus, store: &SqliteStore, name: &ConversationId) -> Result<()> {
    let texts = corpus.queries(MESSAGES, SEED + 1);
    let mut at = Timestamp::from_second(1_700_000_000)?.as_millisecond();
    for (part, texts) in texts.chunks(1_000).enumerate() {
        let mut messages = Vec::with_capacity(texts.len());
        for (number, text) in texts.iter().enumerate() {
            let role = match (part + number) % 2 {
                0 => Role::User,
                _ => Role::Assistant,
            };
            at += PACE;
            messages.push((role, text.as_str(), Timestamp::from_millisecond(at)?));
        }
        store.append(&Identity::default(), name, &messages)?;
    }
    Ok(())
}

fn request(name: &ConversationId, question: &str) -> Result<TurnRequest> {
    let at = Timestamp::from_second(1_800_000_000)?;
    Ok(TurnRequest {
        message: question.to_owned(),
        conversation: Some(name.clone()),
        scope: AccessScope::new(Identity::default(), at),
    })
}

fn engine(store: &Arc<SqliteStore>) -> Result<Engine> {
    let text = TantivyIndex::open(&store.text_index_folder(), &store.store_id()?)?;
    let parts = KnowledgeParts {
        store: Arc::clone(store) as _,
        text: Arc::new(text),
        embedder: Arc::new(LexicalEmbedder::new(DIMENSION)),
        reranker: None,
        vector_index_file: None,
    };
    let (ingest, search) = (IngestConfig::default(), SearchConfig::default());
    let knowledge = Arc::new(KnowledgeBase::open(parts, ingest, search)?);
    Ok(Engine::new(
        knowledge,
        Arc::clone(store) as _,
        TurnConfig::default(),
    ))
}
