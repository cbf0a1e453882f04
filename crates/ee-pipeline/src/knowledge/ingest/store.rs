//! The last stage: sources are written in batches, in the order in which they came, and the indexes
//! follow.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use ee_store::{SourceChange, SourceWrite, StoreError, TenantSource};
use km_core::Administrator;

use super::batch::Batch;
use super::ledger::Ledger;
use super::step::{EmbeddedSteps, Outcome};
use crate::PipelineError;
use crate::knowledge::KnowledgeBase;
use crate::knowledge::following::Follower;

/// Units that are written in one transaction, unless one source alone has more.
const UNITS_PER_WRITE: usize = 1_024;

/// Writes what comes.
pub(super) struct Storing<'a> {
    pub(super) base: &'a KnowledgeBase,
    pub(super) ledger: Ledger<'a>,
    pub(super) indexes: Follower,
}

impl<'a> Storing<'a> {
    /// Works until nothing more comes, or the indexes fail, and tells what was done.
    pub(super) fn run(
        mut self,
        lots: Receiver<EmbeddedSteps>,
    ) -> Result<Ledger<'a>, PipelineError> {
        for lot in lots {
            let changed = self.store(lot)?;
            if !self.indexes.changed(changed) {
                break;
            }
        }
        Ok(self.ledger)
    }

    /// Does what is to be done, and tells how many units changed.
    fn store(&mut self, lot: EmbeddedSteps) -> Result<usize, PipelineError> {
        let mut batch = Batch::default();
        let mut changed = 0;
        for step in lot.steps {
            if !step.gone.is_empty() {
                changed += self.write(std::mem::take(&mut batch))?;
                changed += self.remove(&step.gone)?;
            }
            match step.outcome {
                Outcome::Unchanged => self.ledger.report.unchanged += 1,
                Outcome::Skipped { path, reason } => self.ledger.skipped(path, reason),
                Outcome::Parsed(source) => {
                    if batch.is_full(source.texts.len(), UNITS_PER_WRITE) {
                        changed += self.write(std::mem::take(&mut batch))?;
                    }
                    let window = self.base.parts.embedder.max_tokens();
                    self.ledger.note(&source, window);
                    batch.push(*source, &lot.known, &lot.vectors);
                }
            }
            self.ledger.count(&step.source);
        }
        Ok(changed + self.write(batch)?)
    }

    fn write(&mut self, mut batch: Batch) -> Result<usize, PipelineError> {
        if batch.writes.is_empty() {
            return Ok(0);
        }
        let changes = self.replace_all(&mut batch)?;
        let mut changed = 0;
        let sources = batch.writes.into_iter().zip(batch.reused);
        for (change, (write, reused)) in changes.into_iter().zip(sources) {
            changed += change.added + change.removed;
            self.ledger.written(write.source, change, reused);
        }
        Ok(changed)
    }

    fn remove(&mut self, sources: &[TenantSource]) -> Result<usize, PipelineError> {
        let store = &self.base.parts.store;
        let units = store.drop_sources(Administrator::assume(), sources)?;
        self.ledger.removed(sources, units);
        Ok(units)
    }

    /// Writes in one transaction. When that is refused, source after source, so that what can be
    /// written is, and the one that cannot is named.
    fn replace_all(&self, batch: &mut Batch) -> Result<Vec<SourceChange>, PipelineError> {
        match self.base.parts.store.replace_sources(&batch.writes) {
            Ok(changes) => Ok(changes),
            Err(busy @ (StoreError::Busy { .. } | StoreError::WriteQueue { .. })) => {
                Err(busy.into())
            }
            Err(_) => {
                let alone = batch.writes.iter_mut().zip(&batch.texts);
                alone
                    .map(|(write, texts)| self.replace(write, texts))
                    .collect()
            }
        }
    }

    /// Writes one source. When an embedding that was known has gone meanwhile, with the last unit
    /// that used it, the source is written again with embeddings of its own.
    fn replace(
        &self,
        write: &mut SourceWrite,
        texts: &[String],
    ) -> Result<SourceChange, PipelineError> {
        let store = &self.base.parts.store;
        match store.replace_source(write) {
            Err(StoreError::EmbeddingMissing { .. }) => {
                for (unit, text) in write.units.iter_mut().zip(texts) {
                    let made = self.base.parts.embedder.embed_documents(&[text])?;
                    unit.embedding = made.into_iter().next().map(|made| Arc::from(made.vector));
                }
                Ok(store.replace_source(write)?)
            }
            other => Ok(other?),
        }
    }
}
