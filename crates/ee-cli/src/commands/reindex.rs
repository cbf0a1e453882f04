//! `eerag reindex`: both indexes, rebuilt from the database.

use anyhow::Result;
use clap::Args;
use km_core::Administrator;

use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag reindex`.
#[derive(Debug, Args)]
pub(crate) struct Options {}

/// Rebuilds.
pub(crate) fn run(bench: &Workbench, _options: &Options) -> Result<Ending> {
    let store = bench.store()?;
    bench.knowledge()?.reindex(Administrator::assume())?;
    let units = store.stats(Administrator::assume())?.units;
    if bench.json() {
        print_json(&serde_json::json!({ "units": units }))?;
    } else {
        print_line(format!(
            "rebuilt the text index and the vector index over {units} units"
        ))?;
    }
    Ok(Ending::Done)
}
