//! What the continuous integration runs, cheap checks first.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::run::{announce, cargo, run as run_command, workspace_root};
use crate::{layers, test, tidy};

/// The version of cargo-deny that is installed when the machine has none.
const CARGO_DENY: &str = "0.20.2";

/// Runs every check; the first failure ends it.
pub(crate) fn run() -> Result<()> {
    announce("Format");
    run_command(cargo(["fmt", "--all", "--check"]).env("RUSTFMT_LOG", "error"))?;
    announce("Layers and tidiness");
    layers::run()?;
    tidy::run()?;
    announce("Licences, bans and sources");
    run_command(cargo_deny()?.args(["check", "licenses", "bans", "sources"]))?;
    announce("Lints");
    let features = test::features().join(",");
    run_command(
        cargo([
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            &features,
        ])
        .args(["--", "--deny", "warnings"]),
    )?;
    announce("Documentation");
    run_command(
        cargo(["doc", "--workspace", "--no-deps", "--features", &features])
            .env("RUSTDOCFLAGS", "--deny warnings"),
    )?;
    test::run(&test::Options::default())
}

/// `cargo deny`, installed into the target folder when the machine has none.
fn cargo_deny() -> Result<Command> {
    let installed = Command::new("cargo-deny").arg("--version").output();
    if installed.is_ok_and(|output| output.status.success()) {
        return Ok(in_root(Command::new("cargo-deny")));
    }
    let folder = workspace_root().join("target/tools");
    let program = folder.join("bin/cargo-deny");
    if !program.exists() {
        install_cargo_deny(&folder)?;
    }
    Ok(in_root(Command::new(program)))
}

/// Builds cargo-deny lightly optimised: it runs for seconds, its build should not take ten minutes.
fn install_cargo_deny(folder: &PathBuf) -> Result<()> {
    let mut command = cargo(["install", "--locked", "--quiet", "cargo-deny"]);
    command
        .args(["--version", CARGO_DENY, "--root"])
        .arg(folder);
    command.env("CARGO_PROFILE_RELEASE_LTO", "off");
    command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    command.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    run_command(&mut command)
}

fn in_root(mut command: Command) -> Command {
    command.current_dir(workspace_root());
    command
}
