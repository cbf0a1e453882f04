//! Where proposed settings go: a file of their own, or the person's.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ee_tune::{
    SearchSpace, SettingChange, TunableSettings, Tuned, TuningReport, TuningSubject, merge_changes,
    parameter_value, put_sections, tuned_text,
};

use crate::settings::{OWN_FILE, TUNED_FILE};
use crate::workbench::Workbench;

/// Every setting that the suite reads in which the proposal differs from the settings in force, with
/// what speaks for it; the first one says what speaks for all. These are more than the proposal's
/// changes when the search began elsewhere.
pub(super) fn differences(
    in_force: &TunableSettings,
    tuned: &Tuned,
    subject: &dyn TuningSubject,
) -> Result<Vec<SettingChange>> {
    let space = SearchSpace::declared()?;
    let (from, to) = (
        space.values_of(in_force)?,
        space.values_of(&tuned.settings)?,
    );
    let verdict = &tuned.report.verdict;
    let differs = |key: &str, value| subject.reads(key) && from.get(key) != Some(value);
    let differing = to.iter().filter(|(key, value)| differs(key, value));
    let change = |(key, value): (&String, &serde_json::Value)| {
        let known = verdict.changes.iter().find(|change| change.key == *key);
        SettingChange {
            key: key.clone(),
            from: from
                .get(key)
                .map_or_else(|| parameter_value(value), parameter_value),
            to: parameter_value(value),
            evidence: known
                .map_or("what the search began with", |known| &known.evidence)
                .to_owned(),
        }
    };
    let mut changes: Vec<SettingChange> = differing.map(change).collect();
    if let Some(first) = changes.first_mut() {
        let (title, reason) = (&tuned.report.title, &verdict.reason);
        first.evidence = format!("{}\n# {title}: {reason}", first.evidence);
    }
    Ok(changes)
}

/// Writes the changes to a file of their own, over what an earlier search left there.
pub(super) fn write(path: &Path, changes: &[SettingChange]) -> Result<()> {
    let text = tuned_text(&existing(path)?, changes)
        .with_context(|| format!("{} is not TOML: delete it, or mend it", path.display()))?;
    save(path, &text)
}

/// Writes whole sections, given as TOML, to the file of what was proposed.
pub(super) fn write_section(path: &Path, sections: &str, report: &TuningReport) -> Result<()> {
    let evidence = format!("{}: {}", report.title, report.verdict.reason);
    let text = put_sections(&existing(path)?, sections, &evidence)
        .with_context(|| format!("{} is not TOML: delete it, or mend it", path.display()))?;
    save(path, &text)
}

/// Puts the changes into the person's configuration file: the one named, else `eerag.toml` here.
/// Gives its path.
pub(super) fn apply(bench: &Workbench, changes: &[SettingChange]) -> Result<PathBuf> {
    let path = bench
        .configuration_file()
        .map_or_else(|| PathBuf::from(OWN_FILE), Path::to_owned);
    let text = merge_changes(&existing(&path)?, changes)
        .with_context(|| format!("{} is not TOML: mend it first", path.display()))?;
    save(&path, &text)?;
    let tuned = Path::new(TUNED_FILE);
    if bench.configuration_file().is_none() && tuned.exists() {
        // Its settings were in force during the search; left there they would outrank the file
        // that a person edits from now on.
        let kept =
            std::fs::read_to_string(tuned).with_context(|| format!("cannot read {TUNED_FILE}"))?;
        let moved = ee_tune::merge_files(&kept, &text)
            .with_context(|| format!("{TUNED_FILE} is not TOML: delete it, or mend it"))?;
        save(&path, &moved)?;
        std::fs::remove_file(tuned).with_context(|| format!("cannot delete {TUNED_FILE}"))?;
        if !bench.hides_progress() {
            eprintln!(
                "{TUNED_FILE} is part of {} now, and was removed",
                path.display()
            );
        }
    }
    Ok(path)
}

fn existing(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        outcome => outcome.with_context(|| format!("cannot read {}", path.display())),
    }
}

fn save(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
