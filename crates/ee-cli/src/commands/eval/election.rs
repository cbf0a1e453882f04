//! `eerag eval election`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ee_tune::{ElectionSubject, QuestionFile, SuiteReport, run_election};

use super::common::{Common, write_rows};
use super::scratch::Scratch;
use crate::arguments::SessionFlags;
use crate::workbench::Workbench;

/// Options of `eerag eval election`.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    session: SessionFlags,
    /// Write a row per question as JSON Lines
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(bench: &Workbench, options: &Options) -> Result<SuiteReport> {
    let common = &options.common;
    common.has_no_files()?;
    let system = bench.turn_config(&options.session).system;
    let (dataset, scratch) =
        Scratch::labelled(bench, &common.data()?, QuestionFile::QueriesAll, system)?;
    let session = bench.session(&options.session)?;
    let engine = scratch.engine(bench, &options.session);
    let (knowledge, session) = (scratch.knowledge.as_ref(), session.as_ref());
    let subject = ElectionSubject {
        engine: &engine,
        knowledge,
        session,
    };
    let setup = common.setup(bench, session.name().to_owned())?;
    let (report, cases) = common.watched(bench, ("election", &dataset.name), &setup, |run| {
        run_election(subject, &dataset, run)
    })?;
    write_rows(options.out.as_deref(), &cases)?;
    Ok(report)
}
