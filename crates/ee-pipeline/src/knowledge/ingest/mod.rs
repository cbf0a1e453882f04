//! Ingestion: files and sources in memory to stored units, in bounded memory.
//!
//! Sources go through stages that work at the same time, each on what the one before handed on
//! last. Gathering reads and parses a chunk of them in parallel; what has not changed since it was
//! stored has no texts to embed. Embedding takes texts until there are enough to embed in bulk.
//! Storing writes many sources in one transaction, in the order in which they came, and the
//! indexes follow. Between two stages waits one lot at most.
//!
//! A run that is cancelled loses what is not embedded at that moment, and the next run takes it up,
//! since everything stored before is recognised as unchanged.

mod batch;
mod chunk;
mod embed;
mod explain;
mod gather;
mod ledger;
mod link;
mod prepare;
mod prepared;
mod prune;
mod recipe;
mod root;
mod run;
mod step;
mod store;

use std::path::Path;
use std::sync::Arc;

use ee_ingest::{Found, SkipReason, SourceInput, walk};
use km_core::Governance;

pub use self::explain::{ExplainedUnit, Explainer, Explanation};

use self::chunk::Item;
use self::gather::Gathering;
use self::prune::refuse_emptied;
use self::root::IngestRoot;
use self::run::Stages;
use super::{IngestProgress, IngestReport, IngestRequest, KnowledgeBase, Vanished};
use crate::{Cancellation, PipelineError};

impl KnowledgeBase {
    /// Ingests files and folders, in bounded memory; each source is atomic. Names are relative to
    /// the registered folder: the nearest folder above that was ingested before, or else the
    /// given folder (a given file's own folder).
    ///
    /// # Errors
    /// [`PipelineError::FolderEmptied`] where [`Vanished::Remove`] would remove all that came from
    /// a folder, before anything is done; another [`PipelineError`] when a part fails, and what was
    /// done before stays done.
    pub fn ingest(
        &self,
        request: &IngestRequest,
        progress: &dyn IngestProgress,
        cancellation: &Cancellation,
    ) -> Result<IngestReport, PipelineError> {
        let tenant = request.governance.tenant.as_deref();
        let (places, missing) = IngestRoot::find_all(self, &request.paths, tenant)?;
        let mut found = 0;
        for root in &places {
            let files = walk(&root.start, &self.ingest_config).count();
            if files == 0 && request.vanished == Vanished::Remove {
                refuse_emptied(self, root)?;
            }
            found += files;
        }
        let stages = Stages {
            base: self,
            progress,
            cancellation,
            governance: &request.governance,
            found,
        };
        let mut run = stages.run(|gathering| {
            let mut roots = places.iter();
            roots.try_for_each(|root| self.gather_root(root, gathering))
        })?;
        for (path, reason) in missing {
            run.ledger.skipped(path, reason);
        }
        if request.vanished != Vanished::Keep {
            for root in &places {
                run.prune(root)?;
            }
        }
        run.link()?;
        run.end()
    }

    fn gather_root(
        &self,
        root: &Arc<IngestRoot>,
        gathering: &mut Gathering<'_>,
    ) -> Result<(), PipelineError> {
        for found in walk(&root.start, &self.ingest_config) {
            if gathering.is_over() {
                break;
            }
            gathering.add(match found {
                Found::File { path, source } => Item::file(root, path, &source),
                Found::Skipped { path, reason } => Item::skipped(root, path, reason),
            })?;
        }
        Ok(())
    }

    /// Ingests sources that are in memory, embedding them in bulk.
    ///
    /// # Errors
    /// [`PipelineError`] when a part fails; what was done before stays done.
    pub fn ingest_sources(
        &self,
        sources: &mut dyn Iterator<Item = SourceInput>,
        progress: &dyn IngestProgress,
        cancellation: &Cancellation,
    ) -> Result<IngestReport, PipelineError> {
        let stages = Stages {
            base: self,
            progress,
            cancellation,
            governance: &Governance::default(),
            found: sources.size_hint().0,
        };
        let mut run = stages.run(|gathering| {
            for input in sources {
                if gathering.is_over() {
                    break;
                }
                gathering.add(Item::memory(input))?;
            }
            Ok(())
        })?;
        run.link()?;
        run.end()
    }
}

/// The reason why a path cannot be looked at.
fn unreadable(error: &std::io::Error) -> SkipReason {
    SkipReason::Unreadable {
        message: error.to_string(),
    }
}

/// `path` below `folder` with `/` between its parts; empty for the folder itself.
fn relative_name(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts = below
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
