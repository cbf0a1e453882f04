//! What can go wrong in the engine.

use std::path::PathBuf;

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
    /// The lines of work of a conversation could not be followed.
    #[error(transparent)]
    Conversation(#[from] dcs_core::DcsError),
    /// The chat session failed.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// A setting outside its range.
    #[error("setting `{setting}` must be {expected}, got {found}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// The accepted range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// What is stored of a conversation is not what this version writes.
    #[error("what is kept of the conversation cannot be read: {source}")]
    ThreadRecord {
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A folder from which sources came holds no file any more.
    #[error(
        "{folder} holds no files, but {sources} sources came from it, and nothing was removed: \
         if its disk is not mounted, mount it; if they are to go, say so with --prune-all \
         (`Vanished::RemoveAll`), or remove them one by one with `eerag remove`"
    )]
    FolderEmptied {
        /// The folder.
        folder: PathBuf,
        /// How many sources came from it.
        sources: usize,
    },
    /// A folder whose name cannot be written down.
    #[error("the folder {folder} cannot be registered, its name is not Unicode: rename it")]
    FolderName {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}
