//! `eerag eval qa`.

use anyhow::Result;
use clap::Args;
use ee_tune::{OwnDataset, QaSubject, SuiteReport, run_qa};

use super::common::Common;
use super::scratch::Scratch;
use crate::arguments::SessionFlags;
use crate::workbench::Workbench;

/// Options of `eerag eval qa`.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    session: SessionFlags,
}

pub(super) fn run(bench: &Workbench, options: &Options) -> Result<SuiteReport> {
    let common = &options.common;
    common.has_no_files()?;
    let own = OwnDataset::load(&common.data()?, &bench.settings().ingest)?;
    let system = bench.turn_config(&options.session).system;
    let scratch = Scratch::of(bench, &own, system)?;
    let session = bench.session(&options.session)?;
    let engine = scratch.engine(bench, &options.session);
    let (engine, session) = (&engine, session.as_ref());
    let subject = QaSubject { engine, session };
    let setup = common.setup(bench, session.name().to_owned())?;
    let name = ("qa", own.questions.name.as_str());
    common.watched(bench, name, &setup, |run| {
        run_qa(subject, &own.questions, run)
    })
}
