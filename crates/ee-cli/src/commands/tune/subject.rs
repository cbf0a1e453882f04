//! What a search measures, prepared from a dataset.

use std::path::Path;

use anyhow::{Result, bail};
use ee_pipeline::SearchSystem;
use ee_tune::{
    MemoryDataset, MemorySubject, MemoryTuning, QuestionFile, RetrievalTuning, ThreadDataset,
    ThreadTuning, TuningSubject,
};

use crate::commands::eval::common::dataset;
use crate::commands::eval::scratch::{Scratch, cached_embedder};
use crate::identity::IdentityFlags;
use crate::workbench::Workbench;

/// A suite that can be tuned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Suite {
    Retrieval,
    Memory,
    Threads,
}

impl Suite {
    /// The suite of this name.
    pub(super) fn named(name: &str) -> Result<Self> {
        match name {
            "retrieval" => Ok(Self::Retrieval),
            "memory" => Ok(Self::Memory),
            "threads" => Ok(Self::Threads),
            _ => bail!("{name:?} cannot be tuned: name retrieval, memory or threads"),
        }
    }

    /// Does everything costly once, over a dataset: a path, or a name under `EERAG_DATA`.
    pub(super) fn prepare(self, bench: &Workbench, data: &Path) -> Result<Box<dyn TuningSubject>> {
        let path = dataset(data)?;
        let embedder = cached_embedder(bench)?;
        let settings = bench.settings();
        Ok(match self {
            Self::Retrieval => {
                let (file, system) = (QuestionFile::Queries, SearchSystem::Hybrid);
                let (dataset, scratch) = Scratch::labelled(bench, &path, file, system)?;
                let scope = bench.scope(&IdentityFlags::default());
                let knowledge = &scratch.knowledge;
                Box::new(RetrievalTuning::prepare(knowledge, &dataset, &scope)?)
            }
            Self::Memory => {
                let subject = MemorySubject {
                    embedder: embedder.as_ref(),
                    reranker: None,
                    memory: &settings.memory,
                    index: &settings.index,
                    system: SearchSystem::Hybrid,
                };
                Box::new(MemoryTuning::prepare(subject, MemoryDataset::load(&path)?)?)
            }
            Self::Threads => {
                let dataset = ThreadDataset::load(&path)?;
                Box::new(ThreadTuning::prepare(embedder.as_ref(), dataset)?)
            }
        })
    }
}
