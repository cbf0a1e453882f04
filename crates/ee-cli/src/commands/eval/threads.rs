//! `eerag eval threads`.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use ee_tune::{SuiteReport, ThreadDataset, ThreadSubject, run_threads};

use super::common::{Common, write_rows};
use super::scratch::cached_embedder;
use crate::workbench::Workbench;

/// Options of `eerag eval threads`.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    common: Common,
    /// What tells lines of work apart
    #[arg(long, value_enum, default_value_t = Evidence::Hybrid)]
    system: Evidence,
    /// Write every message's line of work as JSON Lines
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Evidence {
    /// Words, speakers and times
    Words,
    /// These and embeddings
    Hybrid,
}

pub(super) fn run(bench: &Workbench, options: &Options) -> Result<SuiteReport> {
    let common = &options.common;
    common.has_no_questions()?;
    let dataset = ThreadDataset::load(&common.data()?)?;
    let embedder = match options.system {
        Evidence::Words => None,
        Evidence::Hybrid => Some(cached_embedder(bench)?),
    };
    let subject = ThreadSubject {
        conversation: &bench.settings().turn.context,
        embedder: embedder.as_deref(),
    };
    let name = format!("{:?}", options.system).to_lowercase();
    let setup = common.setup(bench, name)?;
    let (report, threads) = common.watched(bench, ("threads", &dataset.name), &setup, |run| {
        run_threads(subject, &dataset, run)
    })?;
    write_rows(options.out.as_deref(), &threads)?;
    Ok(report)
}
