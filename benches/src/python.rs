//! Python environments of the benchmarks' own, under the build's folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{prepared_folder, workspace_root};

/// A script of `benches/python`.
pub fn script(name: &str) -> PathBuf {
    workspace_root().join("benches/python").join(name)
}

/// The interpreter of a virtual environment under `target/NAME` with these packages, made now if
/// it is not there.
///
/// # Errors
/// When there is no Python, or a package cannot be installed.
pub fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = prepared_folder(name);
    let scripts = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    let python = folder.join(scripts);
    let ready = folder.join("ready");
    let wanted = packages.join(" ");
    if std::fs::read_to_string(&ready).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    eprintln!("making a Python environment with {wanted}");
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet"])
        .args(packages))?;
    std::fs::write(ready, wanted)?;
    Ok(python)
}

/// Runs a command to its end.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}").replace('"', "");
    let status = command
        .status()
        .with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "`{shown}` ended with {status}");
    Ok(())
}

/// Little-endian floats of a file, for vectors that Python wrote or reads.
///
/// # Errors
/// When it cannot be read or is cut short.
pub fn read_floats(file: &Path) -> Result<Vec<f32>> {
    let bytes = std::fs::read(file).with_context(|| format!("{}", file.display()))?;
    let (values, rest) = bytes.as_chunks::<4>();
    ensure!(rest.is_empty(), "{} is cut short", file.display());
    Ok(values
        .iter()
        .map(|value| f32::from_le_bytes(*value))
        .collect())
}
