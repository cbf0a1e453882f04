//! `eerag reembed`: everything embedded anew with the configured model.

use anyhow::{Result, bail};
use clap::Args;
use ee_pipeline::KnowledgeBase;
use km_core::Administrator;

use crate::output::{Ending, print_json, print_line};
use crate::progress::FileBar;
use crate::workbench::Workbench;

/// Options of `eerag reembed`.
#[derive(Debug, Args)]
pub(crate) struct Options {}

/// Re-embeds; a run that does not reach its end changes nothing.
pub(crate) fn run(bench: &Workbench, _options: &Options) -> Result<Ending> {
    let settings = bench.settings();
    let bar = FileBar::new(bench.hides_progress());
    let outcome = KnowledgeBase::reembed(
        bench.parts()?,
        settings.ingest.clone(),
        settings.search.clone(),
        Administrator::assume(),
        &bar,
        bench.cancellation(),
    );
    bar.finish();
    let (_, report) = outcome?;
    if report.cancelled {
        bail!("interrupted: nothing was changed");
    }
    if bench.json() {
        print_json(&report)?;
    } else {
        print_line(format!(
            "embedded {} units with {}",
            report.units, settings.embed.model
        ))?;
    }
    Ok(Ending::Done)
}
