//! One run of ingestion: the stages at work, then what can only be done once all is written.

use std::sync::mpsc::sync_channel;
use std::thread;

use km_core::Governance;

use super::embed::Embedding;
use super::gather::{Gathering, Seen};
use super::ledger::Ledger;
use super::store::Storing;
use crate::knowledge::following::{Follower, joined};
use crate::knowledge::{IngestProgress, IngestReport, KnowledgeBase};
use crate::{Cancellation, PipelineError};

/// How much one stage may be ahead of the next, in what it hands on at once.
pub(super) const STEPS_AHEAD: usize = 1;

/// What the stages work with.
pub(super) struct Stages<'a> {
    pub(super) base: &'a KnowledgeBase,
    pub(super) progress: &'a dyn IngestProgress,
    pub(super) cancellation: &'a Cancellation,
    /// Governance for everything that states none of its own.
    pub(super) governance: &'a Governance,
    /// How many sources are to come.
    pub(super) found: usize,
}

/// A run whose sources are written.
pub(super) struct Run<'a> {
    pub(super) base: &'a KnowledgeBase,
    cancellation: &'a Cancellation,
    pub(super) seen: Seen,
    pub(super) ledger: Ledger<'a>,
}

impl<'a> Stages<'a> {
    /// Sends the sources that `feed` gathers through the stages: gathering on this thread,
    /// embedding, storing and indexing on one each. What goes from one to the next is bounded, so
    /// that each waits for the slowest.
    pub(super) fn run(
        self,
        feed: impl FnOnce(&mut Gathering<'_>) -> Result<(), PipelineError>,
    ) -> Result<Run<'a>, PipelineError> {
        let Self {
            base,
            progress,
            cancellation,
            governance,
            found,
        } = self;
        let ledger = Ledger::new(progress, found);
        let (to_embed, gathered) = sync_channel(STEPS_AHEAD);
        let (to_store, embedded) = sync_channel(STEPS_AHEAD);
        thread::scope(|scope| {
            let (indexes, following) = Follower::start(scope, base);
            let storing = Storing {
                base,
                ledger,
                indexes,
            };
            let storing = scope.spawn(move || storing.run(embedded));
            let embedding = Embedding {
                base,
                progress,
                cancellation,
                next: to_store,
            };
            let embedding = scope.spawn(move || embedding.run(gathered));
            let mut gathering = Gathering::new(base, governance, cancellation, to_embed);
            let seen = feed(&mut gathering).and_then(|()| gathering.finish());
            // A stage that fails ends, and those before it end when they cannot hand on.
            let (embedded, stored, followed) =
                (joined(embedding), joined(storing), joined(following));
            let seen = seen?;
            embedded?;
            let ledger = stored?;
            followed?;
            Ok(Run {
                base,
                cancellation,
                seen,
                ledger,
            })
        })
    }
}

impl Run<'_> {
    /// Whether the run was asked to stop.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Brings the indexes in step and gives the report.
    pub(super) fn end(self) -> Result<IngestReport, PipelineError> {
        self.base.catch_up()?;
        self.base.vectors.save_when_due()?;
        Ok(IngestReport {
            cancelled: self.is_cancelled(),
            ..self.ledger.report
        })
    }
}
