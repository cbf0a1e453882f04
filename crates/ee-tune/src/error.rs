//! What can be wrong with data or with a run over it.

use std::io;
use std::path::PathBuf;

/// An error of a dataset or a suite.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// A file of the dataset is missing or unreadable.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A row that is not what the format asks for.
    #[error("{}, row {row}: expected {expected}, got {found}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Row number from 1, header included.
        row: usize,
        /// What the format asks for.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// Nothing is left to measure.
    #[error("{what} selects no question of {data}: widen the part, the limit or the list")]
    NothingSelected {
        /// The selection.
        what: String,
        /// The dataset.
        data: String,
    },
    /// A list names what the dataset does not have.
    #[error("{data} has no {}: correct the list", ids.join(", "))]
    Unknown {
        /// The names that the dataset does not have.
        ids: Vec<String>,
        /// The dataset.
        data: String,
    },
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] ee_embed::EmbedError),
    /// The lines of work of a conversation could not be followed.
    #[error(transparent)]
    Conversation(#[from] dcs_core::DcsError),
    /// The engine failed.
    #[error(transparent)]
    Pipeline(#[from] ee_pipeline::PipelineError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] ee_store::StoreError),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}
