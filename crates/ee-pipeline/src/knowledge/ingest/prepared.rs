//! Sources whose units and embeddings are made already, in bulk.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use ee_store::SourceWrite;

use super::ledger::Ledger;
use super::run::STEPS_AHEAD;
use crate::knowledge::following::{Follower, joined};
use crate::knowledge::{IngestProgress, IngestReport, KnowledgeBase};
use crate::{Cancellation, PipelineError};

/// Units that are written in one transaction, unless one source alone has more. Ids and hashes
/// fall on random pages of their indexes, so that fewer transactions write fewer pages.
const UNITS_PER_WRITE: usize = 8_192;

impl KnowledgeBase {
    /// Stores and indexes sources whose units carry their embeddings. While one batch is stored,
    /// one transaction each, the next is taken from `sources` and the indexes follow the ones
    /// before. Equal embeddings are reused; links are stored as given.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails; what was done before stays done, and the same call
    /// again goes on with the rest.
    pub fn ingest_prepared(
        &self,
        sources: &mut dyn Iterator<Item = SourceWrite>,
        progress: &dyn IngestProgress,
        cancellation: &Cancellation,
    ) -> Result<IngestReport, PipelineError> {
        let ledger = Ledger::new(progress, sources.size_hint().0);
        let (to_store, batches) = sync_channel(STEPS_AHEAD);
        let ledger = thread::scope(|scope| {
            let (indexes, following) = Follower::start(scope, self);
            let storing = scope.spawn(move || self.store_batches(batches, ledger, indexes));
            let mut batch = Vec::new();
            let mut units = 0;
            let mut wanted = true;
            for source in sources {
                if !wanted || cancellation.is_cancelled() {
                    break;
                }
                if units > 0 && units + source.units.len() > UNITS_PER_WRITE {
                    wanted = to_store.send(std::mem::take(&mut batch)).is_ok();
                    units = 0;
                }
                units += source.units.len();
                batch.push(source);
            }
            // Storing that ended early tells why.
            let _ = to_store.send(batch);
            drop(to_store);
            let (stored, followed) = (joined(storing), joined(following));
            let ledger = stored?;
            followed.map(|()| ledger)
        })?;
        self.catch_up()?;
        self.vectors.save_when_due()?;
        Ok(IngestReport {
            cancelled: cancellation.is_cancelled(),
            ..ledger.report
        })
    }

    fn store_batches<'a>(
        &self,
        batches: Receiver<Vec<SourceWrite>>,
        mut ledger: Ledger<'a>,
        mut indexes: Follower,
    ) -> Result<Ledger<'a>, PipelineError> {
        for batch in batches {
            let changes = self.parts.store.replace_sources(&batch)?;
            let mut changed = 0;
            for (write, change) in batch.into_iter().zip(changes) {
                changed += change.added + change.removed;
                ledger.count(&write.source);
                ledger.written(write.source, change, 0);
            }
            if !indexes.changed(changed) {
                break;
            }
        }
        Ok(ledger)
    }
}
