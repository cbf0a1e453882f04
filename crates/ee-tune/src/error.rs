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
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A search would overwrite the trials of another one.
    #[error("{} holds the trials of a search: add --resume to go on with it, or delete it", path.display())]
    JournalThere {
        /// The file.
        path: PathBuf,
    },
    /// A search cannot go on from the trials of another one.
    #[error("{} was written by another search: {what} differs; repeat its command, or delete the file", path.display())]
    JournalDiffers {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// Nothing to search, or a setting that no part of the suite reads.
    #[error("no part of the suite {suite} reads {}: name others with --parameter", keys.join(", "))]
    Unread {
        /// The suite.
        suite: &'static str,
        /// The settings.
        keys: Vec<String>,
    },
    /// A metric that the suite does not have.
    #[error("{suite} has no metric {found}: name one of {}", known.join(", "))]
    Metric {
        /// The suite.
        suite: &'static str,
        /// What was asked for.
        found: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A space of parameters, or a point in it.
    #[error(transparent)]
    Space(#[from] crate::SpaceError),
    /// The search could not go on.
    #[error(transparent)]
    Search(#[from] crate::SearchError),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}
