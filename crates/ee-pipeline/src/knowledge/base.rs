//! The knowledge base: its parts put together, and its indexes kept in step with the store.

use std::path::PathBuf;
use std::sync::Arc;

use ee_embed::{Embedder, Fingerprint, Pooling, Reranker};
use ee_index::IndexConfig;
use ee_ingest::IngestConfig;
use ee_store::{EngineStore, TextIndex};
use km_core::{AccessScope, SourceId};

use super::vectors::{VectorFollower, VectorPlace};
use crate::precise::PrecisePipeline;
use crate::{PipelineError, SearchConfig};

/// What a [`KnowledgeBase`] is made of.
pub struct KnowledgeParts {
    /// The store.
    pub store: Arc<dyn EngineStore>,
    /// The full-text index that follows it.
    pub text: Arc<dyn TextIndex>,
    /// The embedder, for documents and queries.
    pub embedder: Arc<dyn Embedder>,
    /// The cross-encoder, where there is one.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// Where the vector index is kept between runs; absent keeps it in memory only.
    pub vector_index_file: Option<PathBuf>,
}

impl KnowledgeParts {
    /// Where the vector index of these parts is kept.
    pub(super) fn vector_place(
        &self,
        fingerprint: &str,
        config: &IndexConfig,
    ) -> Result<VectorPlace, PipelineError> {
        Ok(VectorPlace {
            file: self.vector_index_file.clone(),
            dimension: self.embedder.fingerprint().dimension,
            identity: format!("store {}, {fingerprint}", self.store.store_id()?),
            config: config.clone(),
        })
    }
}

/// A store with its indexes and models. Safe to share between threads; several may work on one
/// store, also in different processes.
pub struct KnowledgeBase {
    pub(crate) parts: KnowledgeParts,
    pub(super) ingest_config: IngestConfig,
    pub(super) search_config: SearchConfig,
    pub(super) precise: PrecisePipeline,
    pub(super) vectors: VectorFollower,
    pub(super) fingerprint: String,
}

/// How many units each index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedUnits {
    /// Units in the full-text index.
    pub text: u64,
    /// Vectors in the vector index.
    pub vectors: u64,
}

impl KnowledgeBase {
    /// Puts the parts together: checks the model's fingerprint against the store and brings the
    /// indexes in step.
    ///
    /// # Errors
    /// [`PipelineError`] when the store was built with another model, a setting is out of range,
    /// or a part fails.
    pub fn open(
        parts: KnowledgeParts,
        ingest: IngestConfig,
        search: SearchConfig,
    ) -> Result<Self, PipelineError> {
        search.validate()?;
        let fingerprint = fingerprint_text(parts.embedder.fingerprint());
        parts.store.set_fingerprint(&fingerprint)?;
        let base = Self::assemble(parts, ingest, search, fingerprint)?;
        base.catch_up()?;
        base.vectors.save_when_due()?;
        Ok(base)
    }

    /// Puts the parts together without a look at the store.
    pub(super) fn assemble(
        parts: KnowledgeParts,
        ingest_config: IngestConfig,
        search_config: SearchConfig,
        fingerprint: String,
    ) -> Result<Self, PipelineError> {
        let vectors =
            VectorFollower::load(parts.vector_place(&fingerprint, &search_config.index)?)?;
        Ok(Self {
            precise: PrecisePipeline::new(&search_config.precise),
            parts,
            ingest_config,
            search_config,
            vectors,
            fingerprint,
        })
    }

    /// The same knowledge base with another precision pipeline.
    #[must_use]
    pub fn with_pipeline(mut self, precise: PrecisePipeline) -> Self {
        self.precise = precise;
        self
    }

    /// Tokens of `text` as the embedder counts them, special tokens included.
    ///
    /// # Errors
    /// [`PipelineError::Embed`] when the tokenizer refuses the text.
    pub fn count_tokens(&self, text: &str) -> Result<usize, PipelineError> {
        Ok(self.parts.embedder.count_tokens(text)?)
    }

    /// The model behind the vectors, in the words that the store keeps.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Vectors of messages, one for each, in the order given; for comparing messages with each
    /// other, so that questions are embedded like answers.
    ///
    /// # Errors
    /// [`PipelineError::Embed`] when the model fails.
    pub fn embed_messages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PipelineError> {
        let embeddings = self.parts.embedder.embed_documents(texts)?;
        Ok(embeddings.into_iter().map(|one| one.vector).collect())
    }

    /// Removes a source that the scope may see. `false` when there is none.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    pub fn remove(&self, scope: &AccessScope, source: &SourceId) -> Result<bool, PipelineError> {
        let removed = self.parts.store.remove_source(scope, source)?;
        self.catch_up()?;
        Ok(removed)
    }

    /// How many units the indexes hold, after catching up.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails.
    pub fn indexed(&self) -> Result<IndexedUnits, PipelineError> {
        self.catch_up()?;
        let text = self.parts.text.query_terms("")?.units;
        Ok(IndexedUnits {
            text,
            vectors: self.vectors.len() as u64,
        })
    }

    /// Refuses to go on when another process has changed the store's model.
    pub(super) fn check_model(&self) -> Result<(), PipelineError> {
        match self.parts.store.fingerprint()? {
            Some(stored) if stored != self.fingerprint => Err(ee_store::StoreError::OtherModel {
                stored,
                given: self.fingerprint.clone(),
            })?,
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for KnowledgeBase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnowledgeBase")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

/// The fingerprint as the store keeps it and as errors show it.
pub(super) fn fingerprint_text(fingerprint: &Fingerprint) -> String {
    let pooling = match fingerprint.pooling {
        Pooling::Mean => "mean",
        Pooling::Cls => "first-token",
    };
    format!(
        "{}, {} dimensions, {pooling} pooling, weights {}",
        fingerprint.model, fingerprint.dimension, fingerprint.weights_sha256
    )
}
