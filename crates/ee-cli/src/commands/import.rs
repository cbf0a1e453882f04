//! `eerag import`: what `eerag export` wrote.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use km_core::Administrator;

use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag import`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Read this file; standard input without one
    file: Option<PathBuf>,
}

/// Reads everything into an empty database, or nothing at all.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let mut input: Box<dyn BufRead> = match &options.file {
        None => Box::new(io::stdin().lock()),
        Some(path) => {
            let file = File::open(path);
            let file = file.with_context(|| format!("cannot open {}", path.display()))?;
            Box::new(BufReader::new(file))
        }
    };
    let report = bench.store()?.import(Administrator::assume(), &mut input)?;
    if bench.json() {
        print_json(&report)?;
    } else {
        print_line(format!(
            "imported {} sources, {} units, {} conversations, {} turns",
            report.sources, report.units, report.conversations, report.turns,
        ))?;
    }
    Ok(Ending::nothing_if(
        report.sources + report.conversations == 0,
    ))
}
