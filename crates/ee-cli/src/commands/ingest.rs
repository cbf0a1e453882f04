//! `eerag ingest`: files and folders to units.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ee_pipeline::{IngestReport, IngestRequest, KnowledgeBase, PipelineError, Vanished};
use km_core::{DomainPath, Governance};

use super::explain;
use super::watch::Watch;
use crate::identity::{attributes, parse_attribute};
use crate::output::{Ending, print_json, print_json_line, print_line, with_causes};
use crate::progress::FileBar;
use crate::workbench::Workbench;

/// Options of `eerag ingest`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Files and folders
    #[arg(required_unless_present = "explain", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Show the units that this file would become, and store nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "keep_vanished", "prune_all", "watch"])]
    explain: Option<PathBuf>,
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
    #[arg(long, value_name = "N", value_parser = parse_tier)]
    authority: Option<NonZeroU32>,
    /// Keep sources whose file has vanished from an ingested folder
    #[arg(long)]
    keep_vanished: bool,
    /// Remove everything that came from a folder which has no files left
    #[arg(long, conflicts_with = "keep_vanished")]
    prune_all: bool,
    /// Stay, and ingest again whenever something changes, until interrupted
    #[arg(long)]
    watch: bool,
}

/// Ingests and reports.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let mut paths = options.paths.iter().chain(&options.explain);
    if let Some(missing) = paths.find(|path| path.symlink_metadata().is_err()) {
        bail!(
            "{} does not exist: name a file or a folder",
            missing.display()
        );
    }
    if let Some(file) = &options.explain {
        return explain::run(bench, file, &governance(options));
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
        match round(bench, &knowledge, options) {
            // A disk that comes and goes is no reason to stop following it.
            Err(error) if is_emptied(&error) => eprintln!("error: {}", with_causes(&error)),
            outcome => drop(outcome?),
        }
    }
    Ok(Ending::Done)
}

fn is_emptied(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<PipelineError>();
    matches!(cause, Some(PipelineError::FolderEmptied { .. }))
}

/// An authority tier, in a person's words.
fn parse_tier(text: &str) -> Result<NonZeroU32, String> {
    let tier = text.parse();
    tier.map_err(|_| "must be a whole number from 1 on".to_owned())
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
        governance: governance(options),
        vanished: match (options.keep_vanished, options.prune_all) {
            (true, _) => Vanished::Keep,
            (false, false) => Vanished::Remove,
            (false, true) => Vanished::RemoveAll,
        },
    }
}

fn governance(options: &Options) -> Governance {
    Governance {
        tenant: options.tenant.clone(),
        clearance: options.clearance,
        attributes: attributes(&options.attribute),
        domain: options.domain.clone(),
        authority_tier: options.authority,
        ..Governance::default()
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
