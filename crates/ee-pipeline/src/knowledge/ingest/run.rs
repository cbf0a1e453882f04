//! One run of ingestion: what waits, what was seen, and the report.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use ee_ingest::SkipReason;
use ee_store::{SourceState, TenantSource};
use km_core::{Administrator, Governance, SourceId};

use super::chunk::Item;
use super::prepare::PreparedSource;
use crate::knowledge::{IngestProgress, IngestReport, KnowledgeBase, SkippedFile};
use crate::{Cancellation, PipelineError};

/// Sources that are read and parsed together.
const CHUNK_SOURCES: usize = 64;
/// Bytes that are read together, unless one source alone has more.
const CHUNK_BYTES: u64 = 32 * 1024 * 1024;
/// Changed units after which the indexes follow.
const UNITS_PER_FOLLOW: usize = 4_096;

/// One run.
pub(super) struct Run<'a> {
    pub(super) base: &'a KnowledgeBase,
    progress: &'a dyn IngestProgress,
    cancellation: &'a Cancellation,
    /// Governance for everything that states none of its own.
    pub(super) governance: Governance,
    /// What is to be read next, and about how many bytes it has.
    pub(super) chunk: Vec<Item>,
    pub(super) chunk_bytes: u64,
    /// What waits for its embeddings.
    pub(super) waiting: Vec<PreparedSource>,
    pub(super) report: IngestReport,
    /// What this run came upon, with the registered folder of each.
    pub(super) seen: HashMap<TenantSource, PathBuf>,
    /// Names, and folders of names, that could not be read and so are not pruned.
    pub(super) unreadable: Vec<SourceId>,
    /// Names of sources that were written or removed.
    pub(super) touched: HashSet<SourceId>,
    found: usize,
    done: usize,
    changed_since_follow: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        base: &'a KnowledgeBase,
        progress: &'a dyn IngestProgress,
        cancellation: &'a Cancellation,
        governance: Governance,
    ) -> Self {
        Self {
            base,
            progress,
            cancellation,
            governance,
            chunk: Vec::new(),
            chunk_bytes: 0,
            waiting: Vec::new(),
            report: IngestReport::default(),
            seen: HashMap::new(),
            unreadable: Vec::new(),
            touched: HashSet::new(),
            found: 0,
            done: 0,
            changed_since_follow: 0,
        }
    }

    /// States how many sources are to come.
    pub(super) fn expect(&mut self, found: usize) {
        self.found = found;
    }

    /// Whether the run was asked to stop; the report then says so.
    pub(super) fn is_cancelled(&mut self) -> bool {
        self.report.cancelled |= self.cancellation.is_cancelled();
        self.report.cancelled
    }

    /// Takes a source in.
    pub(super) fn add(&mut self, item: Item) -> Result<(), PipelineError> {
        let bytes = self.chunk_bytes.saturating_add(item.bytes());
        let full = self.chunk.len() >= CHUNK_SOURCES || bytes > CHUNK_BYTES;
        if full && !self.chunk.is_empty() {
            self.prepare_chunk()?;
        }
        self.chunk_bytes = self.chunk_bytes.saturating_add(item.bytes());
        self.chunk.push(item);
        Ok(())
    }

    /// Prepares and writes what is left.
    pub(super) fn finish_writing(&mut self) -> Result<(), PipelineError> {
        self.prepare_chunk()?;
        self.write_waiting()
    }

    /// Brings the indexes in step and gives the report.
    pub(super) fn end(mut self) -> Result<IngestReport, PipelineError> {
        self.is_cancelled();
        self.base.catch_up()?;
        self.base.vectors.save_when_due()?;
        Ok(self.report)
    }

    /// Notes a path that was left out.
    pub(super) fn skip(&mut self, path: &Path, reason: SkipReason) {
        self.report.skipped.push(SkippedFile {
            path: path.to_owned(),
            reason,
        });
    }

    /// Counts a source that is done.
    pub(super) fn count(&mut self, source: &SourceId) {
        self.done += 1;
        self.found = self.found.max(self.done);
        self.progress.file(self.done, self.found, source.as_str());
    }

    /// Tells how many of the texts that wait are embedded.
    pub(super) fn count_embedded(&self, done: usize, all: usize) {
        self.progress.embedded(done, all);
    }

    /// Counts changed units; the indexes follow now and then, so that they never lag far behind.
    pub(super) fn changed(&mut self, units: usize) -> Result<(), PipelineError> {
        self.changed_since_follow += units;
        if self.changed_since_follow >= UNITS_PER_FOLLOW {
            self.changed_since_follow = 0;
            self.base.catch_up()?;
        }
        Ok(())
    }

    /// What is stored under these names.
    pub(super) fn states(&self, names: &[SourceId]) -> Result<Vec<SourceState>, PipelineError> {
        Ok(self
            .base
            .parts
            .store
            .source_states(Administrator::assume(), names)?)
    }
}
