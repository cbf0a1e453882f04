//! Benchmarks, always in release mode and never as tests.

use anyhow::Result;
use clap::Args;

use crate::run::{cargo, run as run_command};

/// Options of `cargo xtask bench`.
#[derive(Args)]
pub(crate) struct Options {
    /// Which benchmark: a bench target of the `benches` package.
    name: String,
    /// Passed on to the benchmark.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs one benchmark.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut command = cargo([
        "bench",
        "--package",
        "benches",
        "--bench",
        &options.name,
        "--",
    ]);
    run_command(command.args(&options.arguments))
}
