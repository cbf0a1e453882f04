//! `eerag ingest`: files and folders to units.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use ee_pipeline::{IngestReport, IngestRequest};
use km_core::{DomainPath, Governance};

use crate::identity::{attributes, parse_attribute};
use crate::output::{Ending, print_json, print_line};
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
    let bar = FileBar::new(bench.hides_progress());
    let outcome = knowledge.ingest(&request(options), &bar, bench.cancellation());
    bar.finish();
    let report = outcome?;
    if bench.json() {
        print_json(&report)?;
    } else {
        print_report(&report)?;
    }
    if report.cancelled {
        bail!("interrupted: what was done is kept, the same command goes on from there");
    }
    Ok(Ending::nothing_if(report.sources() == 0))
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
