//! `eerag eval fetch`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use ee_tune::{PUBLIC_DATASETS, PublicDataset, fetch_public};
use serde_json::json;

use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag eval fetch`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The dataset; without one, those that there are are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The folder that datasets lie in; by default the one that `EERAG_DATA` names
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// Read the files from this folder, or from below this address
    #[arg(long, value_name = "PLACE", requires = "name")]
    from: Option<String>,
}

/// Lists the public datasets, or fetches one.
pub(super) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let Some(name) = &options.name else {
        return list(bench);
    };
    let dataset = PublicDataset::named(name)?;
    let root = options
        .to
        .clone()
        .or_else(|| std::env::var_os("EERAG_DATA").map(PathBuf::from));
    let root = root.context("name the folder with --to FOLDER, or in EERAG_DATA")?;
    eprintln!(
        "{name}: {}\nlicence: {}\nhome: {}",
        dataset.about, dataset.licence, dataset.home
    );
    let report = fetch_public(dataset, options.from.as_deref(), &root)?;
    if bench.json() {
        let files = report.files.iter().map(|(file, bytes, sha256, was_known)| {
            json!({ "file": file, "bytes": bytes, "sha256": sha256, "checksum_known": was_known })
        });
        let files: Vec<_> = files.collect();
        let (folder, licence) = (&report.folder, dataset.licence);
        print_json(&json!({ "folder": folder, "licence": licence, "files": files }))?;
        return Ok(Ending::Done);
    }
    for (file, bytes, sha256, was_known) in &report.files {
        let known = if *was_known {
            "as expected"
        } else {
            "kept for the next time"
        };
        print_line(format!("{file}  {bytes} bytes  SHA-256 {sha256}, {known}"))?;
    }
    print_line(format!("ready in {}", report.folder.display()))?;
    Ok(Ending::Done)
}

fn list(bench: &Workbench) -> Result<Ending> {
    if bench.json() {
        let entries = PUBLIC_DATASETS.iter().map(|one| {
            json!({ "name": one.name, "about": one.about, "licence": one.licence, "home": one.home })
        });
        print_json(&entries.collect::<Vec<_>>())?;
        return Ok(Ending::Done);
    }
    for one in PUBLIC_DATASETS {
        print_line(format!("{:<12} {}", one.name, one.about))?;
        print_line(format!("{:<12} {}", "", one.licence))?;
    }
    Ok(Ending::Done)
}
