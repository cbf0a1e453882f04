//! A whole ingestion with the real model, store and indexes, and what embedding takes of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use benches::models;
use ee_embed::{EmbedError, Embedder, Embedding, Fingerprint, OnnxEmbedder};
use ee_ingest::{IngestConfig, Relations, SourceInput};
use ee_pipeline::{Cancellation, IngestProgress, KnowledgeBase, KnowledgeParts, SearchConfig};
use ee_store::{SqliteStore, StoreConfig, TantivyIndex};
use km_core::{Governance, SourceId};

/// How long an ingestion took, and in it the embedding.
pub(crate) struct Whole {
    pub(crate) units: usize,
    pub(crate) seconds: f64,
    pub(crate) embedding_seconds: f64,
}

/// Ingests documents in Markdown into a store in `folder`.
pub(crate) fn ingest(folder: &Path, documents: Vec<String>) -> Result<Whole> {
    let embedder = Arc::new(Timed {
        inner: models::default_embedder()?,
        nanoseconds: AtomicU64::new(0),
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
    let embedding = Duration::from_nanos(embedder.nanoseconds.load(Ordering::Relaxed));
    Ok(Whole {
        units: report.units_added,
        seconds,
        embedding_seconds: embedding.as_secs_f64(),
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

/// An embedder that adds up how long its calls took.
struct Timed {
    inner: OnnxEmbedder,
    nanoseconds: AtomicU64,
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
        let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        embedded
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        self.inner.embed_query(text)
    }
}
