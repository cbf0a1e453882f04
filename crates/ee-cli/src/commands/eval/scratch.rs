//! A knowledge base that holds a dataset for as long as it is measured.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ee_embed::{DiskCachedEmbedder, DiskCachedReranker, Embedder, Reranker};
use ee_pipeline::{Engine, KnowledgeBase, SearchSystem};
use ee_store::SqliteStore;
use ee_tune::BeirDataset;
use tempfile::TempDir;

use crate::arguments::SessionFlags;
use crate::progress::FileBar;
use crate::workbench::{Workbench, open_store, parts, text_index};

/// The configured embedder; its vectors are kept on disk by model and content, so that a further
/// run takes seconds.
pub(super) fn cached_embedder(bench: &Workbench) -> Result<Arc<dyn Embedder>> {
    let settings = bench.settings();
    let embedder = bench.onnx_embedder(&settings.embed)?;
    let folder = settings.evaluation_cache()?;
    Ok(Arc::new(DiskCachedEmbedder::open(embedder, &folder)?))
}

/// The configured cross-encoder for a ranking that asks for one; its scores are kept on disk too.
pub(super) fn cached_reranker(
    bench: &Workbench,
    system: SearchSystem,
) -> Result<Option<Arc<dyn Reranker>>> {
    let wanted = system == SearchSystem::Precise;
    let Some(reranker) = wanted.then(|| bench.reranker()).transpose()?.flatten() else {
        return Ok(None);
    };
    let folder = bench.settings().evaluation_cache()?;
    Ok(Some(Arc::new(DiskCachedReranker::open(reranker, &folder)?)))
}

/// A knowledge base that holds a dataset, in a folder that goes when it goes.
pub(super) struct Scratch {
    store: Arc<SqliteStore>,
    pub(super) knowledge: Arc<KnowledgeBase>,
    _folder: TempDir,
}

impl Scratch {
    pub(super) fn over(
        bench: &Workbench,
        dataset: &BeirDataset,
        system: SearchSystem,
    ) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot create a folder for the evaluation")?;
        let path = folder.path().join("eval.db");
        let store = Arc::new(open_store(&path, bench.settings())?);
        let text = text_index(&store)?;
        let mut parts = parts(Arc::clone(&store), text, cached_embedder(bench)?);
        parts.reranker = cached_reranker(bench, system)?;
        let knowledge = Arc::new(bench.knowledge_over(parts)?);
        let bar = FileBar::new(bench.hides_progress());
        let mut sources = dataset.documents.iter().map(ee_tune::Document::source);
        let outcome = knowledge.ingest_sources(&mut sources, &bar, bench.cancellation());
        bar.finish();
        let report = outcome?;
        if report.cancelled {
            bail!("interrupted; what was embedded is kept for the next run");
        }
        if let Some(skipped) = report.skipped.first() {
            let (path, reason) = (skipped.path.display(), &skipped.reason);
            bail!(
                "{} documents cannot be ingested; {path}: {reason}",
                report.skipped.len()
            );
        }
        Ok(Self {
            store,
            knowledge,
            _folder: folder,
        })
    }

    pub(super) fn engine(&self, bench: &Workbench, flags: &SessionFlags) -> Engine {
        let config = bench.turn_config(flags);
        Engine::new(Arc::clone(&self.knowledge), self.store.clone(), config)
    }
}
