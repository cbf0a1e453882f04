//! A whole ingestion with the real model, store and indexes, and what embedding takes of it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use benches::models;
use ee_embed::{EmbedError, Embedder, Embedding, Fingerprint, OnnxEmbedder};
use ee_ingest::{IngestConfig, Relations, SourceInput};
use ee_pipeline::{Cancellation, IngestProgress, KnowledgeBase, KnowledgeParts, SearchConfig};
use ee_store::{SqliteStore, StoreConfig, TantivyIndex};
use km_core::{Governance, SourceId};
use parking_lot::Mutex;

/// How long an ingestion took, and what embedding takes.
pub(crate) struct Whole {
    pub(crate) units: usize,
    pub(crate) seconds: f64,
    /// While a call of the embedder was under way, with the other stages at work beside it.
    pub(crate) embedding_seconds: f64,
    /// The same calls once more, with nothing beside them.
    pub(crate) alone_seconds: f64,
}

/// Ingests documents in Markdown into a store in `folder`.
pub(crate) fn ingest(folder: &Path, documents: Vec<String>) -> Result<Whole> {
    let embedder = Arc::new(Timed {
        inner: models::default_embedder()?,
        calls: Mutex::default(),
    });
    let base = base(folder, Arc::clone(&embedder) as _)?;
    let mut sources = (0..).zip(documents).map(|(number, text)| SourceInput {
        source: SourceId::new(format!("{number:04}.md")),
        bytes: text.into_bytes(),
        governance: Governance::default(),
        relations: Relations::default(),
    });
    let start = Instant::now();
    let report = base.ingest_sources(&mut sources, &Silent, &Cancellation::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let calls = std::mem::take(&mut *embedder.calls.lock());
    let embedding: Duration = calls.iter().map(|call| call.time).sum();
    let start = Instant::now();
    for call in &calls {
        let texts: Vec<&str> = call.texts.iter().map(String::as_str).collect();
        embedder.inner.embed_documents(&texts)?;
    }
    Ok(Whole {
        units: report.units_added,
        seconds,
        embedding_seconds: embedding.as_secs_f64(),
        alone_seconds: start.elapsed().as_secs_f64(),
    })
}

fn base(folder: &Path, embedder: Arc<dyn Embedder>) -> Result<KnowledgeBase> {
    let store = SqliteStore::open(&folder.join("eerag.db"), StoreConfig::default())?;
    let text = TantivyIndex::open(&store.text_index_folder(), &store.store_id()?)?;
    let parts = KnowledgeParts {
        vector_index_file: Some(folder.join("eerag.vectors")),
        store: Arc::new(store),
        text: Arc::new(text),
        embedder,
        reranker: None,
    };
    let (ingest, search) = (IngestConfig::default(), SearchConfig::default());
    Ok(KnowledgeBase::open(parts, ingest, search)?)
}

/// Hears nothing.
struct Silent;

impl IngestProgress for Silent {
    fn file(&self, _done: usize, _found: usize, _source: &str) {}
}

/// An embedder that notes its calls.
struct Timed {
    inner: OnnxEmbedder,
    calls: Mutex<Vec<Call>>,
}

/// What was embedded together, and how long that took.
struct Call {
    texts: Vec<String>,
    time: Duration,
}

impl Embedder for Timed {
    fn fingerprint(&self) -> &Fingerprint {
        self.inner.fingerprint()
    }

    fn max_tokens(&self) -> usize {
        self.inner.max_tokens()
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.inner.count_tokens(text)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let start = Instant::now();
        let embedded = self.inner.embed_documents(texts);
        let time = start.elapsed();
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        self.calls.lock().push(Call { texts, time });
        embedded
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        self.inner.embed_query(text)
    }
}
