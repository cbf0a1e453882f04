//! A knowledge base that holds a dataset for as long as it is measured.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use ee_embed::{DiskCachedEmbedder, DiskCachedReranker, Embedder, Reranker};
use ee_ingest::SourceInput;
use ee_pipeline::{Engine, KnowledgeBase, SearchSystem};
use ee_store::SqliteStore;
use ee_tune::{BeirDataset, Document, OwnDataset, QuestionFile};
use km_core::Administrator;
use tempfile::TempDir;

use crate::arguments::SessionFlags;
use crate::identity::IdentityFlags;
use crate::progress::FileBar;
use crate::workbench::{Workbench, open_store, parts, text_index};

/// The configured embedder; its vectors are kept on disk by model and content, so that a further
/// run takes seconds.
pub(in crate::commands) fn cached_embedder(bench: &Workbench) -> Result<Arc<dyn Embedder>> {
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
pub(in crate::commands) struct Scratch {
    store: Arc<SqliteStore>,
    pub(in crate::commands) knowledge: Arc<KnowledgeBase>,
    _folder: TempDir,
}

impl Scratch {
    /// A labelled collection and a knowledge base that holds it: a folder in the layout of BEIR,
    /// or a user's own set.
    pub(in crate::commands) fn labelled(
        bench: &Workbench,
        path: &Path,
        file: QuestionFile,
        system: SearchSystem,
    ) -> Result<(BeirDataset, Self)> {
        if OwnDataset::is_at(path) {
            let own = OwnDataset::load(path, &bench.settings().ingest)?;
            let scratch = Self::of(bench, &own, system)?;
            return Ok((own.collection(), scratch));
        }
        let dataset = BeirDataset::load(path, file)?;
        let sources = dataset.documents.iter().map(Document::source);
        let scratch = Self::over(bench, sources.collect(), system)?;
        Ok((dataset, scratch))
    }

    /// A knowledge base that holds a user's own documents; without any, a copy of the user's
    /// database.
    pub(super) fn of(bench: &Workbench, own: &OwnDataset, system: SearchSystem) -> Result<Self> {
        if let Some(documents) = &own.documents {
            return Self::over(bench, documents.clone(), system);
        }
        let database = bench.settings().database()?;
        if !database.exists() {
            own.check_sources(&BTreeSet::new()).with_context(|| {
                format!(
                    "there is neither a folder `documents` nor a database {}",
                    database.display()
                )
            })?;
            return Self::over(bench, Vec::new(), system);
        }
        let folder = tempfile::tempdir().context("cannot create a folder for the evaluation")?;
        let copy = folder.path().join("eval.db");
        bench.store()?.backup(Administrator::assume(), &copy)?;
        let scratch = Self::open(bench, folder, system)?;
        let scope = bench.scope(&IdentityFlags::default());
        let sources = scratch.store.visible_sources(&scope)?;
        own.check_sources(&sources.iter().map(|one| one.source.as_str()).collect())?;
        Ok(scratch)
    }

    fn open(bench: &Workbench, folder: TempDir, system: SearchSystem) -> Result<Self> {
        let path = folder.path().join("eval.db");
        let store = Arc::new(open_store(&path, bench.settings())?);
        let text = text_index(&store)?;
        let mut parts = parts(Arc::clone(&store), text, cached_embedder(bench)?);
        parts.reranker = cached_reranker(bench, system)?;
        let knowledge = Arc::new(bench.knowledge_over(parts)?);
        Ok(Self {
            store,
            knowledge,
            _folder: folder,
        })
    }

    fn over(bench: &Workbench, sources: Vec<SourceInput>, system: SearchSystem) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot create a folder for the evaluation")?;
        let scratch = Self::open(bench, folder, system)?;
        let bar = FileBar::new(bench.hides_progress());
        let mut sources = sources.into_iter();
        let outcome = scratch
            .knowledge
            .ingest_sources(&mut sources, &bar, bench.cancellation());
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
        Ok(scratch)
    }

    pub(super) fn engine(&self, bench: &Workbench, flags: &SessionFlags) -> Engine {
        let config = bench.turn_config(flags);
        Engine::new(Arc::clone(&self.knowledge), self.store.clone(), config)
    }
}
