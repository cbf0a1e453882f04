//! `eerag eval retrieval`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ee_tune::{QuestionFile, SuiteReport, cross_fit_retrieval, run_retrieval, write_trec_run};

use super::common::{Common, create};
use super::fitting::Fitting;
use super::scratch::Scratch;
use crate::commands::search::System;
use crate::workbench::Workbench;

/// Options of `eerag eval retrieval`.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    common: Common,
    /// Which ranking
    #[arg(long, value_enum, default_value_t = System::Hybrid)]
    system: System,
    #[command(flatten)]
    fitting: Fitting,
    /// Write the ranking in TREC's run format
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
}

pub(super) fn run(bench: &Workbench, options: &Options) -> Result<SuiteReport> {
    let (common, system) = (&options.common, options.system);
    common.has_no_files()?;
    let (dataset, scratch) =
        Scratch::labelled(bench, &common.data()?, QuestionFile::Queries, system.into())?;
    let setup = common.setup(bench, system.name())?;
    let (report, run) = if options.fitting.wanted(system)? {
        let (report, run, fitted) =
            common.watched(bench, ("retrieval", &dataset.name), &setup, |run| {
                cross_fit_retrieval(&scratch.knowledge, &dataset, run)
            })?;
        options.fitting.write_knowledge(fitted)?;
        (report, run)
    } else {
        common.watched(bench, ("retrieval", &dataset.name), &setup, |run| {
            run_retrieval(&scratch.knowledge, &dataset, system.into(), run)
        })?
    };
    if let Some(path) = &options.run {
        let mut out = create(path)?;
        write_trec_run(&run, &setup.system, &mut out).and_then(|()| out.flush())?;
    }
    Ok(report)
}
