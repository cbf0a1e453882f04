//! Ingestion: files and sources in memory to stored units, in bounded memory.
//!
//! Sources go through in chunks. A chunk is read and parsed in parallel; what has not changed
//! since it was stored goes no further. Its texts gather with those of the chunks before until
//! there are enough to embed in bulk; then they are written, many sources in one transaction.
//! A run that is cancelled loses the sources that wait at that moment, and the next run takes them
//! up, since everything stored before is recognised as unchanged.

mod chunk;
mod explain;
mod link;
mod prepare;
mod prune;
mod recipe;
mod root;
mod run;
mod sort;
mod write;

use std::path::Path;
use std::sync::Arc;

use ee_ingest::{Found, SkipReason, SourceInput, walk};

pub use self::explain::{ExplainedUnit, Explainer, Explanation};

use self::chunk::Item;
use self::root::IngestRoot;
use self::run::Run;
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
        let mut run = Run::new(self, progress, cancellation, request.governance.clone());
        let tenant = request.governance.tenant.as_deref();
        let (places, missing) = IngestRoot::find_all(self, &request.paths, tenant)?;
        for (path, reason) in missing {
            run.skip(&path, reason);
        }
        let mut found = 0;
        for root in &places {
            let files = walk(&root.start, &self.ingest_config).count();
            if files == 0 && request.vanished == Vanished::Remove {
                run.refuse_emptied(root)?;
            }
            found += files;
        }
        run.expect(found);
        for root in &places {
            self.ingest_root(root, &mut run)?;
        }
        run.finish_writing()?;
        if request.vanished != Vanished::Keep {
            for root in &places {
                run.prune(root)?;
            }
        }
        run.link()?;
        run.end()
    }

    fn ingest_root(&self, root: &Arc<IngestRoot>, run: &mut Run<'_>) -> Result<(), PipelineError> {
        for found in walk(&root.start, &self.ingest_config) {
            if run.is_cancelled() {
                break;
            }
            match found {
                Found::File { path, source } => run.add(Item::file(root, path, &source))?,
                Found::Skipped { path, reason } => run.walk_skipped(root, &path, &reason)?,
            }
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
        let mut run = Run::new(self, progress, cancellation, km_core::Governance::default());
        run.expect(sources.size_hint().0);
        for input in sources {
            if run.is_cancelled() {
                break;
            }
            run.add(Item::memory(input))?;
        }
        run.finish_writing()?;
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
