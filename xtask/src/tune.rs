//! Choosing the defaults that the program ships with, or any other search, in release mode.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::run::{announce, cargo, run as run_command, workspace_root};
use crate::test::evaluation_data;

/// Options of `cargo xtask tune`.
#[derive(Args)]
pub(crate) struct Options {
    /// Passed on to `eerag tune`; without any, the defaults are put to the test on the project's
    /// own choosing sets.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// What the shipped defaults rest on: suite, dataset and trials (those of threads take seconds
/// each). Neither LoCoMo nor SciFact is among them: they only measure. The choosing set is made by
/// `benches/python/choosing_set.py`.
const CHOOSING: [(&str, &str, &str); 3] = [
    ("retrieval", CHOOSING_SET, "200"),
    ("memory", "fixtures/memory", "200"),
    ("threads", "assistant_threads", "60"),
];

const CHOOSING_SET: &str = "target/tune/choosing";

/// Where reports and records go.
const OUT: &str = "target/tune";

/// Runs one search, or those of the defaults; their reports lie under `target/tune`.
pub(crate) fn run(options: &Options) -> Result<()> {
    let data = evaluation_data();
    if !options.arguments.is_empty() {
        return tune(&options.arguments, data.as_deref());
    }
    let data =
        data.context("the choosing set needs the evaluation data: name its folder in EERAG_DATA")?;
    announce("Putting the choosing set together");
    let mut script = Command::new("python3");
    script
        .arg("benches/python/choosing_set.py")
        .arg(&data)
        .arg(CHOOSING_SET);
    run_command(script.current_dir(workspace_root()))?;
    for (suite, dataset, trials) in CHOOSING {
        announce(&format!("Tuning {suite} on {dataset}"));
        let out = format!("{OUT}/{suite}");
        let tuned = format!("{out}/{TUNED}");
        let arguments = [
            suite, "--data", dataset, "--from", "shipped", "--trials", trials, "--out", &out,
            "--tuned", &tuned, "--resume",
        ];
        tune(&arguments.map(str::to_owned), Some(&data))?;
    }
    announce(&format!("The reports are under {OUT}"));
    Ok(())
}

const TUNED: &str = "eerag.tuned.toml";

/// 3 is how `eerag tune` ends when nothing is better than what is in force: no failure here.
fn tune(arguments: &[String], data: Option<&Path>) -> Result<()> {
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
    if let Some(data) = data {
        command.env("EERAG_DATA", data);
    }
    let status = command.status()?;
    ensure!(
        matches!(status.code(), Some(0 | 3)),
        "`eerag tune {}` ended with {status}",
        arguments.join(" ")
    );
    Ok(())
}
