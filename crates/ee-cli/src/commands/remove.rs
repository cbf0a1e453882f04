//! `eerag remove`: a source and all its units.

use anyhow::Result;
use clap::Args;
use km_core::SourceId;
use serde_json::json;

use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag remove`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The source's name, as `search` shows it
    source: String,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Removes the source, if the identity may see it.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let scope = bench.scope(&options.identity);
    let removed = bench
        .knowledge()?
        .remove(&scope, &SourceId::new(&options.source))?;
    if bench.json() {
        print_json(&json!({ "source": options.source, "removed": removed }))?;
    } else if removed {
        print_line(format!("removed {}", options.source))?;
    } else {
        print_line(format!(
            "no source {} that this identity may see",
            options.source
        ))?;
    }
    Ok(Ending::nothing_if(!removed))
}
