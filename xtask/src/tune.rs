//! Choosing the defaults that the program ships with, or any other search, in release mode.

use std::path::Path;

use anyhow::Result;
use clap::Args;

use crate::run::{announce, cargo, workspace_root};

/// Options of `cargo xtask tune`.
#[derive(Args)]
pub(crate) struct Options {
    /// Passed on to `eerag tune`; without any, the defaults are put to the test on the project's
    /// own choosing sets.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// What the shipped defaults rest on: suite and dataset. Neither LoCoMo nor SciFact is among them:
/// they only measure.
const CHOOSING: [(&str, &str); 3] = [
    ("retrieval", "fixtures/faq"),
    ("memory", "fixtures/memory"),
    ("threads", "assistant_threads"),
];

/// Where reports and records go.
const OUT: &str = "target/tune";

/// Runs one search, or those of the defaults; their reports lie under `target/tune`.
pub(crate) fn run(options: &Options) -> Result<()> {
    if !options.arguments.is_empty() {
        return tune(&options.arguments);
    }
    for (suite, data) in CHOOSING {
        announce(&format!("Tuning {suite} on {data}"));
        let name = Path::new(data)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let out = format!("{OUT}/{suite}-{name}");
        let tuned = format!("{out}/{TUNED}");
        let arguments = [
            suite, "--data", data, "--from", "shipped", "--out", &out, "--tuned", &tuned,
            "--resume",
        ];
        tune(&arguments.map(str::to_owned))?;
    }
    announce(&format!("The reports are under {OUT}"));
    Ok(())
}

const TUNED: &str = "eerag.tuned.toml";

/// 3 is how `eerag tune` ends when nothing is better than what is in force: no failure here.
fn tune(arguments: &[String]) -> Result<()> {
    let mut command = cargo([
        "run",
        "--release",
        "--quiet",
        "--package",
        "ee-cli",
        "--",
        "tune",
    ]);
    command.args(arguments);
    if std::env::var_os("EERAG_DATA").is_none() {
        let beside = workspace_root()
            .parent()
            .map(|parent| parent.join("shared/data"));
        if let Some(data) = beside.filter(|folder| folder.is_dir()) {
            command.env("EERAG_DATA", data);
        }
    }
    let status = command.status()?;
    anyhow::ensure!(
        matches!(status.code(), Some(0 | 3)),
        "`eerag tune {}` ended with {status}",
        arguments.join(" ")
    );
    Ok(())
}
