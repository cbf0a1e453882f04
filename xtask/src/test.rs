//! All tests, with the real models.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};
use clap::Args;

use crate::fetch_model;
use crate::run::{announce, cargo, run as run_command, workspace_root};

/// Features that switch on the tests that need fetched models and the chat server.
const WITH_MODELS: &[&str] = &[
    "ee-embed/test-models",
    "ee-pipeline/test-models",
    "ee-pipeline/test-server",
    "ee-tune/test-models",
    "ee-cli/test-models",
];

/// The feature that switches on the test that needs a browser, which `apt-get` brings.
const WITH_BROWSER: &str = "ee-tune/test-browser";

/// Features that switch on the tests that read the evaluation data.
const WITH_DATA: &[&str] = &["ee-pipeline/test-data", "ee-cli/test-data"];

/// Options of `cargo xtask test`.
#[derive(Default, Args)]
pub(crate) struct Options {
    /// Passed on to `cargo test`, for example `-p ee-store` or a test's name.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Fetches what is missing and runs all tests.
pub(crate) fn run(options: &Options) -> Result<()> {
    announce("Fetching what the tests need");
    fetch_model::fetch_for_tests()?;
    strace()?;
    chromium()?;
    announce("Running the tests");
    let mut command = cargo(["test", "--workspace", "--no-fail-fast", "--features"]);
    command.arg(features().join(",")).args(&options.arguments);
    run_command(&mut command)
}

/// The test of the report lays it out in a browser; brings the browser where it can.
fn chromium() -> Result<()> {
    bring("chromium", "--version")
}

/// The test that nothing connects anywhere traces system calls; brings the tracer where it can.
fn strace() -> Result<()> {
    bring("strace", "-V")
}

/// Installs a program with the system's package manager where it is missing, on Linux.
fn bring(program: &str, version: &str) -> Result<()> {
    let there = || {
        let asked = Command::new(program).arg(version).output();
        asked.is_ok_and(|output| output.status.success())
    };
    if !cfg!(target_os = "linux") || there() {
        return Ok(());
    }
    eprintln!("apt-get install {program}");
    let _ = Command::new("apt-get")
        .args(["install", "--yes", "--quiet", program])
        .output();
    ensure!(
        there(),
        "the tests need `{program}`, and `apt-get install {program}` did not bring it: install it \
         with your system's package manager (as the administrator) and run this again"
    );
    Ok(())
}

/// The features of a full test run on this machine. Says so when the evaluation data is absent.
pub(crate) fn features() -> Vec<&'static str> {
    let mut features = WITH_MODELS.to_vec();
    if cfg!(target_os = "linux") {
        features.push(WITH_BROWSER);
    }
    match evaluation_data() {
        Some(_) => features.extend(WITH_DATA),
        None => eprintln!(
            "note: no evaluation data at $EERAG_DATA or ../shared/data; \
             the tests that only read it are not built"
        ),
    }
    features
}

/// The folder of the evaluation data, where it is on this machine.
pub(crate) fn evaluation_data() -> Option<PathBuf> {
    let named = std::env::var_os("EERAG_DATA").map(PathBuf::from);
    let beside = workspace_root()
        .parent()
        .map(|parent| parent.join("shared/data"));
    named
        .or(beside)
        .filter(|folder| folder.join("eedag").is_dir())
}
