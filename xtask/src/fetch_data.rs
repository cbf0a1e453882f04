//! Bringing public datasets, as `eerag eval fetch` does.

use anyhow::Result;
use clap::Args;

use crate::run::{cargo, run as run_command};

/// Options of `cargo xtask fetch-data`.
#[derive(Args)]
pub(crate) struct Options {
    /// Passed on to `eerag eval fetch`: a name, `--to FOLDER`, `--from PLACE`; the datasets that
    /// there are without any.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Fetches a dataset, or lists those that there are.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut command = cargo([
        "run",
        "--quiet",
        "--package",
        "ee-cli",
        "--",
        "eval",
        "fetch",
    ]);
    run_command(command.args(&options.arguments))
}
