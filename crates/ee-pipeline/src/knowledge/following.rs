//! Both indexes following the store: batch by batch, each read once and applied to both at the
//! same time while the next one is read.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use ee_store::{ChangeBatch, Sequence, StoreError};
use km_core::Administrator;

use super::KnowledgeBase;
use crate::PipelineError;

/// Changes per batch: bounds the memory that following takes, and is what one commit of the text
/// index takes in.
const CHANGES_PER_BATCH: usize = 16_384;

/// Changed units after which indexes are told to follow.
const UNITS_PER_FOLLOW: usize = 4_096;

impl KnowledgeBase {
    /// Brings both indexes in step with the store. Costs next to nothing when they are.
    pub(crate) fn catch_up(&self) -> Result<(), PipelineError> {
        while !self.is_in_step()? {
            let mut next = self.batch_after(self.least_stand()?)?;
            while let Some(batch) = next {
                next = self.apply(&batch)?;
            }
        }
        Ok(())
    }

    fn is_in_step(&self) -> Result<bool, PipelineError> {
        let reached = self.vectors.reached();
        if self.parts.text.sequence()? != reached {
            return Ok(false);
        }
        let store = &self.parts.store;
        match store.changes_since(Administrator::assume(), reached, 1) {
            Ok(batch) => Ok(batch.changes.is_empty() && batch.reached == reached),
            Err(StoreError::ChangesPruned { .. } | StoreError::IndexAhead { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Where the index stands that lags further behind. One that cannot follow is emptied first.
    fn least_stand(&self) -> Result<Sequence, PipelineError> {
        if !self.can_follow(self.vectors.reached())? {
            self.vectors.clear()?;
        }
        let text = &self.parts.text;
        let sequence = text.sequence()?;
        if !self.can_follow(sequence)? {
            tracing::info!(target: "pipeline", sequence, "the text index is rebuilt");
            text.clear()?;
        }
        Ok(self.vectors.reached().min(text.sequence()?))
    }

    fn can_follow(&self, stand: Sequence) -> Result<bool, PipelineError> {
        let store = &self.parts.store;
        match store.changes_since(Administrator::assume(), stand, 0) {
            Ok(_) => Ok(true),
            Err(StoreError::ChangesPruned { .. } | StoreError::IndexAhead { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// What was committed after `since`, and is of the model of this knowledge base.
    fn batch_after(&self, since: Sequence) -> Result<Option<ChangeBatch>, PipelineError> {
        let store = &self.parts.store;
        match store.changes_since(Administrator::assume(), since, CHANGES_PER_BATCH) {
            Ok(batch) if batch.reached == since => Ok(None),
            Ok(batch) => {
                self.check_model()?;
                Ok(Some(batch))
            }
            // What can no longer follow is emptied before the next round.
            Err(StoreError::ChangesPruned { .. } | StoreError::IndexAhead { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Applies a batch to both indexes, and reads the one that follows it meanwhile.
    fn apply(&self, batch: &ChangeBatch) -> Result<Option<ChangeBatch>, PipelineError> {
        thread::scope(|scope| {
            let vectors = scope.spawn(|| self.vectors.apply(batch));
            let next = batch
                .more
                .then(|| scope.spawn(|| self.batch_after(batch.reached)));
            let text = self.parts.text.apply(batch);
            let next = next.map(joined).transpose();
            joined(vectors)?;
            text?;
            Ok(next?.flatten())
        })
    }
}

/// Lets the indexes follow on a thread of their own while more is written.
pub(super) struct Follower {
    due: SyncSender<()>,
    changed: usize,
}

/// The thread on which indexes follow.
pub(super) type Following<'scope> = ScopedJoinHandle<'scope, Result<(), PipelineError>>;

impl Follower {
    /// Starts the thread, which ends with the follower, or with the first error.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        base: &'scope KnowledgeBase,
    ) -> (Self, Following<'scope>) {
        let (due, told) = sync_channel(1);
        let following = scope.spawn(move || follow_when_told(base, &told));
        (Self { due, changed: 0 }, following)
    }

    /// Counts changed units; the indexes follow now and then. Waits while they have not begun with
    /// what they were told before, so that they never lag far behind. `false` when they failed.
    pub(super) fn changed(&mut self, units: usize) -> bool {
        self.changed += units;
        if self.changed < UNITS_PER_FOLLOW {
            return true;
        }
        self.changed = 0;
        self.due.send(()).is_ok()
    }
}

fn follow_when_told(base: &KnowledgeBase, told: &Receiver<()>) -> Result<(), PipelineError> {
    told.iter().try_for_each(|()| base.catch_up())
}

/// What a thread returned; its panic goes on in this one.
pub(super) fn joined<T>(handle: ScopedJoinHandle<'_, T>) -> T {
    handle.join().unwrap_or_else(|panic| resume_unwind(panic))
}
