//! What a run has done so far.

use std::collections::HashSet;
use std::path::PathBuf;

use ee_ingest::SkipReason;
use ee_store::{SourceChange, TenantSource};
use km_core::SourceId;

use super::prepare::PreparedSource;
use crate::knowledge::{IngestProgress, IngestReport, SkippedFile};

/// Keeps the report, and tells how the run goes on.
pub(super) struct Ledger<'a> {
    progress: &'a dyn IngestProgress,
    /// How many sources are to come.
    found: usize,
    done: usize,
    pub(super) report: IngestReport,
    /// Names of sources that were written or removed.
    pub(super) touched: HashSet<SourceId>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(progress: &'a dyn IngestProgress, found: usize) -> Self {
        Self {
            progress,
            found,
            done: 0,
            report: IngestReport::default(),
            touched: HashSet::new(),
        }
    }

    /// Counts a source that is done.
    pub(super) fn count(&mut self, source: &SourceId) {
        self.done += 1;
        self.found = self.found.max(self.done);
        self.progress.file(self.done, self.found, source.as_str());
    }

    /// Enters a path that was left out.
    pub(super) fn skipped(&mut self, path: PathBuf, reason: SkipReason) {
        self.report.skipped.push(SkippedFile { path, reason });
    }

    /// Notes what a reader should know of a source; `window` is the embedder's, in tokens.
    pub(super) fn note(&mut self, source: &PreparedSource, window: usize) {
        let name = &source.parsed.source;
        let notes = source.parsed.notes.iter();
        let notes = notes.map(|note| (name.clone(), note.clone()));
        self.report.notes.extend(notes);
        for (unit, text) in source.parsed.units.iter().zip(&source.texts) {
            if text.tokens > window {
                let note = format!(
                    "unit {} has {} tokens, more than the window of {window}: the rest is not embedded",
                    unit.id, text.tokens
                );
                self.report.notes.push((name.clone(), note));
            }
        }
    }

    /// Enters a source that was written, with embeddings of which so many were there before.
    pub(super) fn written(&mut self, source: SourceId, change: SourceChange, reused: usize) {
        let report = &mut self.report;
        match (change.existed, change.added + change.removed) {
            (false, _) => report.added += 1,
            (true, 0) => report.unchanged += 1,
            (true, _) => report.replaced += 1,
        }
        report.units_added += change.added;
        report.units_removed += change.removed;
        report.embeddings_reused += reused;
        self.touched.insert(source);
    }

    /// Enters sources that were removed with so many units.
    pub(super) fn removed(&mut self, sources: &[TenantSource], units: usize) {
        self.report.removed += sources.len();
        self.report.units_removed += units;
        let names = sources.iter().map(|key| key.source.clone());
        self.touched.extend(names);
    }
}
