//! `eerag eval memory`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ee_tune::{MemoryDataset, MemorySubject, SuiteReport, SuiteRun, cross_fit_memory, run_memory};

use super::common::{Common, write_rows};
use super::fitting::Fitting;
use super::scratch::{cached_embedder, cached_reranker};
use crate::commands::search::System;
use crate::workbench::Workbench;

/// Options of `eerag eval memory`.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    common: Common,
    /// Which ranking
    #[arg(long, value_enum, default_value_t = System::Hybrid)]
    system: System,
    #[command(flatten)]
    fitting: Fitting,
    /// Write the ranked turns of every question as JSON Lines
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
}

pub(super) fn run(bench: &Workbench, options: &Options) -> Result<SuiteReport> {
    let common = &options.common;
    let dataset = MemoryDataset::load(&common.data()?)?;
    let (settings, embedder) = (bench.settings(), cached_embedder(bench)?);
    let reranker = cached_reranker(bench, options.system.into())?;
    let subject = MemorySubject {
        embedder: embedder.as_ref(),
        reranker: reranker.as_deref(),
        memory: &settings.memory,
        index: &settings.index,
        system: options.system.into(),
    };
    let setup = common.setup(bench, options.system.name())?;
    let (report, ranked) = if options.fitting.wanted(options.system)? {
        let fit = |run: SuiteRun<'_>| cross_fit_memory(subject, &dataset, run);
        let (report, ranked, fitted) =
            common.watched(bench, ("memory", &dataset.name), &setup, fit)?;
        options.fitting.write_memory(fitted)?;
        (report, ranked)
    } else {
        common.watched(bench, ("memory", &dataset.name), &setup, |run| {
            run_memory(subject, &dataset, run)
        })?
    };
    write_rows(options.run.as_deref(), &ranked)?;
    Ok(report)
}
