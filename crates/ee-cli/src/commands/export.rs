//! `eerag export`: everything, as JSON Lines.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use ee_store::{SqliteStore, TransferReport};
use km_core::Administrator;

use crate::output::Ending;
use crate::workbench::Workbench;

/// Options of `eerag export`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Write to this file, which must not exist; standard output without one
    file: Option<PathBuf>,
}

/// Writes every unit, conversation and turn, whoever they belong to.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let store = bench.store()?;
    let report = match &options.file {
        None => write(&store, io::stdout().lock())?,
        Some(path) => {
            let file = File::create_new(path);
            let file = file.with_context(|| format!("cannot create {}", path.display()))?;
            write(&store, file)?
        }
    };
    eprintln!(
        "exported {} sources, {} units, {} conversations, {} turns",
        report.sources, report.units, report.conversations, report.turns,
    );
    Ok(Ending::Done)
}

fn write(store: &SqliteStore, out: impl Write) -> Result<TransferReport> {
    let mut out = BufWriter::new(out);
    let report = store.export(Administrator::assume(), &mut out)?;
    out.flush()?;
    Ok(report)
}
