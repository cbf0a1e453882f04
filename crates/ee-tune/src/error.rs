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
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Rows would be lost.
    #[error(
        "{} holds something already: add --resume to go on with a run, or name another file",
        path.display()
    )]
    RowsThere {
        /// The file.
        path: PathBuf,
    },
    /// A file of rows belongs to another run.
    #[error(
        "cannot go on with {}: it was made with {what} {was}, and now it is {is}: name another file, \
         or delete this one", path.display()
    )]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
        /// What the file was made with.
        was: String,
        /// What is asked for now.
        is: String,
    },
    /// Runs that say nothing about each other.
    #[error("the runs cannot be compared: {what}")]
    NotComparable {
        /// Why not.
        what: String,
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
    /// A document of a dataset cannot be ingested.
    #[error("{}: {reason}: mend the file, take it out, or name it in .eeragignore", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// Why it cannot be ingested.
        reason: ee_ingest::SkipReason,
    },
    /// No public dataset has this name.
    #[error("there is no public dataset {name}: name one of {}", known.join(", "))]
    UnknownDataset {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// A file of a public dataset cannot be had.
    #[error(
        "cannot fetch {file} from {place}: {reason}; get it on another way, and name its folder or \
         a mirror's address with --from"
    )]
    Fetch {
        /// The file.
        file: &'static str,
        /// Where it was looked for.
        place: String,
        /// Why it cannot be had.
        reason: String,
    },
    /// A file of a public dataset is another one than before.
    #[error(
        "{url} has the SHA-256 {found}, and {expected} was expected: it was changed or damaged on \
         the way; fetch it again, or remove {} to take the new one where no checksum is built in",
        sums.display()
    )]
    Checksum {
        /// The file's address.
        url: String,
        /// What was expected.
        expected: String,
        /// What came.
        found: String,
        /// Where the sums of earlier downloads are kept.
        sums: PathBuf,
    },
    /// What was downloaded is not the dataset.
    #[error("what was fetched is not {name}: {found}")]
    Download {
        /// The dataset.
        name: &'static str,
        /// What came instead.
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
    /// What became of a question cannot be kept.
    #[error("cannot keep what became of a question: {0}")]
    Detail(#[source] serde_json::Error),
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
