//! What can go wrong in the engine.

use crate::ChatError;

/// An error of ingestion, search or a turn; each keeps its cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The store or the text index failed.
    #[error(transparent)]
    Store(#[from] ee_store::StoreError),
    /// The embedder or the cross-encoder failed.
    #[error(transparent)]
    Embed(#[from] ee_embed::EmbedError),
    /// The vector index failed.
    #[error(transparent)]
    Index(#[from] ee_index::IndexError),
    /// Ingestion was set up wrongly.
    #[error(transparent)]
    Ingest(#[from] ee_ingest::IngestError),
    /// The chat session failed.
    #[error(transparent)]
    Chat(#[from] ChatError),
}
