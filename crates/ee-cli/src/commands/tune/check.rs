//! A tuned file against the settings that hold without it, on data that it was not tuned on.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use ee_tune::{ComparisonRow, TunableSettings, compare_settings};
use figment::Figment;
use figment::providers::{Format, Serialized, Toml};

use super::subject::Suite;
use crate::commands::eval::compare::print_rows;
use crate::output::{Ending, print_json};
use crate::workbench::Workbench;

/// Options of `eerag tune check`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The tuned file
    file: PathBuf,
    /// What to measure: `retrieval=DATA`, `memory=DATA` or `threads=DATA`
    #[arg(required = true, value_name = "SUITE=DATA")]
    on: Vec<String>,
    /// The most that a suite's main metric may fall
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    most: f64,
    /// Seed of the intervals
    #[arg(long, default_value_t = 42)]
    seed: u64,
}

/// Measures every suite under both settings; fails when a main metric falls too far.
pub(super) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let current = bench.settings_without(&options.file)?.tunable();
    let tuned = over(&current, &options.file)?;
    let mut mains: Vec<ComparisonRow> = Vec::new();
    for one in &options.on {
        let Some((suite, data)) = one.split_once('=') else {
            bail!("{one:?}: expected SUITE=DATA, for example retrieval=scifact_train");
        };
        let subject = Suite::named(suite)?.prepare(bench, Path::new(data))?;
        let every: Vec<usize> = (0..subject.cases().len()).collect();
        let pair = [&tuned, &current];
        let rows = compare_settings(subject.as_ref(), pair, &every, "the whole", options.seed)?;
        mains.extend(rows.into_iter().next());
    }
    if bench.json() {
        print_json(&mains)?;
    } else {
        print_rows(&mains)?;
    }
    let worse = mains.iter().find(|row| row.difference < -options.most);
    if let Some(row) = worse {
        bail!(
            "{} of {} falls by {:.4}",
            row.metric,
            row.data,
            -row.difference
        );
    }
    Ok(Ending::Done)
}

/// The settings in force with those of a tuned file in their place.
fn over(current: &TunableSettings, file: &Path) -> Result<TunableSettings> {
    ensure!(file.is_file(), "there is no file {}", file.display());
    let layers = Figment::from(Serialized::defaults(current)).merge(Toml::file_exact(file));
    let tuned: TunableSettings = layers
        .extract()
        .with_context(|| format!("{} holds no settings that can be tuned", file.display()))?;
    tuned.validate()?;
    if tuned == *current {
        eprintln!("warning: {} changes nothing", file.display());
    }
    Ok(tuned)
}
