//! `eerag eval memory`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ee_tune::{MemoryDataset, MemorySubject, SuiteReport, run_memory};

use super::common::{Common, write_rows};
use super::scratch::cached_embedder;
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
    /// Write the ranked turns of every question as JSON Lines
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
}

pub(super) fn run(bench: &Workbench, options: &Options) -> Result<SuiteReport> {
    let common = &options.common;
    let dataset = MemoryDataset::load(&common.data()?)?;
    let (settings, embedder) = (bench.settings(), cached_embedder(bench)?);
    let subject = MemorySubject {
        embedder: embedder.as_ref(),
        memory: &settings.memory,
        index: &settings.index,
        system: options.system.into(),
    };
    let setup = common.setup(bench, options.system.name())?;
    let (report, ranked) =
        common.watched(bench, &setup, |run| run_memory(subject, &dataset, run))?;
    write_rows(options.run.as_deref(), &ranked)?;
    Ok(report)
}
