//! Changing the model: every unit embedded anew, then switched at once; and rebuilding indexes.

use std::collections::HashSet;
use std::sync::Arc;

use ee_ingest::IngestConfig;
use ee_store::StoredUnit;
use km_core::Administrator;
use serde::{Deserialize, Serialize};

use super::base::fingerprint_text;
use super::composition::compose;
use super::{IngestProgress, KnowledgeBase, KnowledgeParts};
use crate::{Cancellation, PipelineError, SearchConfig};

/// Units per step: bounds the texts in memory, and how long a cancellation waits.
const UNITS_PER_STEP: usize = 256;

/// How re-embedding ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReembedReport {
    /// Units that were looked at.
    pub units: usize,
    /// Vectors that were replaced; units with equal text share one.
    pub embeddings: u64,
    /// Whether the run was cancelled; the store is then as it was.
    pub cancelled: bool,
}

type NewEmbeddings = Vec<([u8; 32], Arc<[f32]>)>;

impl KnowledgeBase {
    /// Embeds every unit with the model in `parts` and switches the store to it in one
    /// transaction. `progress` counts units. Until the switch the store answers with the old
    /// model; a cancelled or failed run changes nothing.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails, or units were added by others meanwhile.
    pub fn reembed(
        parts: KnowledgeParts,
        ingest: IngestConfig,
        search: SearchConfig,
        capability: Administrator,
        progress: &dyn IngestProgress,
        cancellation: &Cancellation,
    ) -> Result<(Self, ReembedReport), PipelineError> {
        search.validate()?;
        let fingerprint = fingerprint_text(parts.embedder.fingerprint());
        let base = Self::assemble(parts, ingest, search, fingerprint)?;
        let mut report = ReembedReport::default();
        let fresh = base.embed_all(capability, progress, cancellation, &mut report)?;
        if cancellation.is_cancelled() {
            report.cancelled = true;
            return Ok((base, report));
        }
        let store = &base.parts.store;
        report.embeddings = store.replace_embeddings(capability, &base.fingerprint, &fresh)?;
        base.reindex(capability)?;
        Ok((base, report))
    }

    /// Empties both indexes and fills them from the store.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails; the indexes then fill themselves at the next search.
    pub fn reindex(&self, _capability: Administrator) -> Result<(), PipelineError> {
        self.parts.text.clear()?;
        self.vectors.clear()?;
        self.catch_up()?;
        self.vectors.save_when_due()
    }

    fn embed_all(
        &self,
        capability: Administrator,
        progress: &dyn IngestProgress,
        cancellation: &Cancellation,
        report: &mut ReembedReport,
    ) -> Result<NewEmbeddings, PipelineError> {
        let mut fresh = NewEmbeddings::new();
        let mut seen = HashSet::new();
        let mut after = 0;
        while !cancellation.is_cancelled() {
            let page = self
                .parts
                .store
                .all_units(capability, after, UNITS_PER_STEP)?;
            let Some((last, _)) = page.last() else { break };
            after = last.key;
            report.units += page.len();
            progress.file(report.units, report.units, last.unit.source.as_str());
            self.embed_page(page, &mut seen, &mut fresh)?;
        }
        Ok(fresh)
    }

    fn embed_page(
        &self,
        page: Vec<(StoredUnit, [u8; 32])>,
        seen: &mut HashSet<[u8; 32]>,
        fresh: &mut NewEmbeddings,
    ) -> Result<(), PipelineError> {
        let embedder = &*self.parts.embedder;
        let new = page.into_iter().filter(|(_, hash)| seen.insert(*hash));
        let composed: Vec<([u8; 32], String)> = new
            .map(|(stored, hash)| Ok((hash, compose(embedder, &stored.unit)?.text)))
            .collect::<Result<_, PipelineError>>()?;
        let texts: Vec<&str> = composed.iter().map(|(_, text)| text.as_str()).collect();
        let embeddings = embedder.embed_documents(&texts)?;
        let hashes = composed.iter().map(|(hash, _)| *hash);
        fresh.extend(hashes.zip(embeddings.into_iter().map(|made| Arc::from(made.vector))));
        Ok(())
    }
}
