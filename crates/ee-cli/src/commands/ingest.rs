//! `eerag ingest`: files and folders to units.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ee_pipeline::{IngestReport, IngestRequest, KnowledgeBase};
use km_core::{DomainPath, Governance};

use super::watch::Watch;
use crate::identity::{attributes, parse_attribute};
use crate::output::{Ending, print_json, print_json_line, print_line};
use crate::progress::FileBar;
use crate::workbench::Workbench;

/// Options of `eerag ingest`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Give everything to this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Require this clearance
    #[arg(long, value_name = "N", default_value_t = 0)]
    clearance: u32,
    /// Require one of this attribute's values, for example region=APAC; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_attribute)]
    attribute: Vec<(String, String)>,
    /// The subject on which these sources compete, for example finance.travel
    #[arg(long, value_name = "PATH")]
    domain: Option<DomainPath>,
    /// Authority among sources of one domain; 1 is the highest
    #[arg(long, value_name = "N")]
    authority: Option<NonZeroU32>,
    /// Keep sources whose file has vanished from an ingested folder
    #[arg(long)]
    keep_vanished: bool,
    /// Stay, and ingest again whenever something changes, until interrupted
    #[arg(long)]
    watch: bool,
}

/// Ingests and reports.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    if let Some(missing) = options
        .paths
        .iter()
        .find(|path| path.symlink_metadata().is_err())
    {
        bail!(
            "{} does not exist: name a file or a folder",
            missing.display()
        );
    }
    let knowledge = bench.knowledge()?;
    // Watching begins before the first look, so that nothing falls between the two.
    let database = bench.settings().database()?;
    let watch = options
        .watch
        .then(|| Watch::start(&options.paths, &database))
        .transpose()?;
    let report = round(bench, &knowledge, options)?;
    let Some(watch) = watch else {
        return Ok(Ending::nothing_if(report.sources() + report.removed == 0));
    };
    if !bench.hides_progress() {
        eprintln!("watching; Ctrl-C ends");
    }
    while watch.changed(bench.cancellation())? {
        round(bench, &knowledge, options)?;
    }
    Ok(Ending::Done)
}

/// Ingests once and reports.
fn round(bench: &Workbench, knowledge: &KnowledgeBase, options: &Options) -> Result<IngestReport> {
    let bar = FileBar::new(bench.hides_progress());
    let outcome = knowledge.ingest(&request(options), &bar, bench.cancellation());
    bar.finish();
    let report = outcome?;
    match (bench.json(), options.watch) {
        (true, true) => print_json_line(&report)?,
        (true, false) => print_json(&report)?,
        (false, _) => print_report(&report)?,
    }
    if report.cancelled {
        bail!("interrupted: what was done is kept, the same command goes on from there");
    }
    Ok(report)
}

fn request(options: &Options) -> IngestRequest {
    IngestRequest {
        paths: options.paths.clone(),
        governance: Governance {
            tenant: options.tenant.clone(),
            clearance: options.clearance,
            attributes: attributes(&options.attribute),
            domain: options.domain.clone(),
            authority_tier: options.authority,
            ..Governance::default()
        },
        prune: !options.keep_vanished,
    }
}

fn print_report(report: &IngestReport) -> Result<()> {
    print_line(format!(
        "sources: {} added, {} unchanged, {} replaced, {} removed, {} skipped",
        report.added,
        report.unchanged,
        report.replaced,
        report.removed,
        report.skipped.len(),
    ))?;
    print_line(format!(
        "units:   {} added, {} removed; {} embeddings reused",
        report.units_added, report.units_removed, report.embeddings_reused,
    ))?;
    for skipped in &report.skipped {
        print_line(format!(
            "skipped: {}: {}",
            skipped.path.display(),
            skipped.reason
        ))?;
    }
    for (source, note) in &report.notes {
        print_line(format!("note:    {source}: {note}"))?;
    }
    Ok(())
}
