//! `eerag eval intents`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ee_tune::{IntentDataset, SuiteReport, run_intents};

use super::common::{Common, write_rows};
use super::scratch::cached_embedder;
use crate::workbench::Workbench;

/// Options of `eerag eval intents`.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    common: Common,
    /// Write a row per utterance as JSON Lines
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(bench: &Workbench, options: &Options) -> Result<SuiteReport> {
    let common = &options.common;
    common.has_no_files()?;
    let dataset = IntentDataset::load(&common.data()?)?;
    let embedder = cached_embedder(bench)?;
    let setup = common.setup(bench, "learned".to_owned())?;
    let (report, cases) = common.watched(bench, ("intents", &dataset.name), &setup, |run| {
        run_intents(embedder.as_ref(), &dataset, run)
    })?;
    write_rows(options.out.as_deref(), &cases)?;
    Ok(report)
}
