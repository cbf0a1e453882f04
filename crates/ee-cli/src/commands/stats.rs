//! `eerag stats`: what is stored.

use anyhow::Result;
use clap::Args;
use km_core::Administrator;
use serde_json::json;

use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag stats`.
#[derive(Debug, Args)]
pub(crate) struct Options {}

/// Counts everything, whoever it belongs to.
pub(crate) fn run(bench: &Workbench, _options: &Options) -> Result<Ending> {
    let store = bench.store()?;
    let stats = store.stats(Administrator::assume())?;
    let model = store.fingerprint()?;
    if bench.json() {
        print_json(&json!({ "database": store.path(), "model": model, "stored": stats }))?;
        return Ok(Ending::Done);
    }
    print_line(format!(
        "database:      {} ({} bytes)",
        store.path().display(),
        stats.bytes
    ))?;
    print_line(format!(
        "model:         {}",
        model.as_deref().unwrap_or("none yet")
    ))?;
    let counts = [
        ("sources", stats.sources),
        ("units", stats.units),
        ("links", stats.links),
        ("embeddings", stats.embeddings),
        ("conversations", stats.conversations),
        ("messages", stats.messages),
        ("turns", stats.turns),
    ];
    for (name, count) in counts {
        print_line(format!("{:<14} {count}", format!("{name}:")))?;
    }
    Ok(Ending::Done)
}
