//! A store with its indexes and models: ingestion and search.

use std::path::PathBuf;
use std::sync::Arc;

use ee_embed::{Embedder, Reranker};
use ee_ingest::{IngestConfig, SkipReason, SourceInput};
use ee_store::{StoredUnit, TextIndex};
use km_core::{AccessScope, Governance, SourceId};
use serde::{Deserialize, Serialize};

use crate::{Cancellation, PipelineError, SearchConfig};

/// What a [`KnowledgeBase`] is made of.
pub struct KnowledgeParts {
    /// The store.
    pub store: Arc<dyn ee_store::KnowledgeStore>,
    /// The full-text index that follows it.
    pub text: Arc<dyn TextIndex>,
    /// The embedder, for documents and queries.
    pub embedder: Arc<dyn Embedder>,
    /// The cross-encoder, where there is one.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// Where the vector index is kept between runs; absent keeps it in memory only.
    pub vector_index_file: Option<PathBuf>,
}

/// A store with its indexes and models. Safe to share between threads.
pub struct KnowledgeBase {}

/// What to ingest.
#[derive(Debug, Clone)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Governance for everything that states none of its own.
    pub governance: Governance,
    /// Whether sources whose file has vanished from an ingested folder are removed.
    pub prune: bool,
}

/// Is told how ingestion goes on.
pub trait IngestProgress: Sync {
    /// A file is done (or skipped): how many so far, how many were found so far, its name.
    fn file(&self, done: usize, found: usize, source: &str);
}

/// How an ingestion ended.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IngestReport {
    /// Sources that were new, with their unit counts summed in `units_added`.
    pub added: usize,
    /// Sources that had not changed.
    pub unchanged: usize,
    /// Sources whose units were replaced in part or whole.
    pub replaced: usize,
    /// Sources that are gone.
    pub removed: usize,
    /// Units added over all sources.
    pub units_added: usize,
    /// Units removed over all sources.
    pub units_removed: usize,
    /// Units whose embedding was reused.
    pub embeddings_reused: usize,
    /// What was left out, each with its reason.
    pub skipped: Vec<SkippedFile>,
    /// Remarks by source, for example replaced bytes or a text longer than the window.
    pub notes: Vec<(SourceId, String)>,
    /// Whether the run was cancelled before its end; a later run goes on where it stopped.
    pub cancelled: bool,
}

/// A file that was left out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SkippedFile {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[serde(flatten)]
    pub reason: SkipReason,
}

/// Which ranking answers a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchSystem {
    /// Full text alone.
    Bm25,
    /// Embeddings alone.
    Dense,
    /// Both, fused.
    #[default]
    Hybrid,
}

/// A search on somebody's behalf.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The question, as plain text.
    pub query: String,
    /// How many units to return.
    pub k: usize,
    /// Which ranking.
    pub system: SearchSystem,
    /// On whose behalf.
    pub scope: AccessScope,
}

/// Ranked units.
#[derive(Debug, Clone)]
pub struct SearchResponse {
    /// Best first.
    pub hits: Vec<SearchHit>,
    /// Milliseconds spent embedding the query.
    pub embed_milliseconds: f64,
    /// Milliseconds spent on everything else.
    pub search_milliseconds: f64,
}

/// One ranked unit.
#[derive(Debug, Clone)]
pub struct SearchHit {
    /// The unit.
    pub unit: StoredUnit,
    /// The score that ranks it, on the scale of the system: BM25, cosine, or fused 0–1.
    pub score: f32,
    /// Cosine to the query, in −1 to 1; absent for full text alone.
    pub cosine: Option<f32>,
    /// BM25, where the text matched.
    pub bm25: Option<f32>,
}

impl KnowledgeBase {
    /// Puts the parts together: checks the model's fingerprint against the store and brings the
    /// indexes in step.
    ///
    /// # Errors
    /// [`PipelineError`] when the store was built with another model, or a part fails.
    pub fn open(
        parts: KnowledgeParts,
        ingest: IngestConfig,
        search: SearchConfig,
    ) -> Result<Self, PipelineError> {
        let _ = (parts, ingest, search);
        Ok(Self {})
    }

    /// Ingests files and folders, in bounded memory; each source is atomic.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails; what was done before stays done.
    pub fn ingest(
        &self,
        request: &IngestRequest,
        progress: &dyn IngestProgress,
        cancellation: &Cancellation,
    ) -> Result<IngestReport, PipelineError> {
        let _ = (request, progress, cancellation);
        Ok(IngestReport::default())
    }

    /// Ingests sources that are in memory, embedding them in bulk.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails; what was done before stays done.
    pub fn ingest_sources(
        &self,
        sources: &mut dyn Iterator<Item = SourceInput>,
        progress: &dyn IngestProgress,
        cancellation: &Cancellation,
    ) -> Result<IngestReport, PipelineError> {
        let _ = (sources, progress, cancellation);
        Ok(IngestReport::default())
    }

    /// Searches on somebody's behalf, after catching up with what other processes committed.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse, PipelineError> {
        let _ = request;
        Ok(SearchResponse {
            hits: Vec::new(),
            embed_milliseconds: 0.0,
            search_milliseconds: 0.0,
        })
    }
}
