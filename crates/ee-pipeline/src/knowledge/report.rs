//! What to ingest, and how an ingestion ended.

use std::path::PathBuf;

use ee_ingest::SkipReason;
use km_core::{Governance, SourceId};
use serde::{Deserialize, Serialize};

/// What to ingest.
#[derive(Debug, Clone)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Governance for everything that states none of its own.
    pub governance: Governance,
    /// What becomes of sources whose file has vanished from an ingested folder.
    pub vanished: Vanished,
}

/// What becomes of sources whose file has vanished from an ingested folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Vanished {
    /// They stay.
    Keep,
    /// They are removed. A folder that has no file left is refused, since a disk that is not
    /// mounted looks like that.
    #[default]
    Remove,
    /// They are removed, be it all of a folder.
    RemoveAll,
}

/// Is told how ingestion goes on.
pub trait IngestProgress: Sync {
    /// A file is done (or skipped): how many so far, how many were found so far, its name.
    fn file(&self, done: usize, found: usize, source: &str);

    /// So many of the texts that wait are embedded, of how many: a long file moves too.
    fn embedded(&self, done: usize, all: usize) {
        let _ = (done, all);
    }
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

impl IngestReport {
    /// How many sources the store now holds of those that were looked at.
    pub fn sources(&self) -> usize {
        self.added + self.unchanged + self.replaced
    }
}

/// A file that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[serde(flatten)]
    pub reason: SkipReason,
}
