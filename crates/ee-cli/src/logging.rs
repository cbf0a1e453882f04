//! Logs, on standard error.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

/// Starts logging: warnings by default, more with each `-v`, errors alone with `--quiet`. The
/// variable `EERAG_LOG` takes a filter of its own, for example `ee_pipeline=debug,dcn=trace`.
pub(crate) fn start(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    // What the PDF reader finds odd is in the report, where it matters.
    let usual = || EnvFilter::new(format!("{level},lopdf=off"));
    let filter = EnvFilter::try_from_env("EERAG_LOG").unwrap_or_else(|_| usual());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
}
