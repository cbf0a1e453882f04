//! `eerag tune precise`: the blend and the calibration of ε.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use ee_pipeline::{BlendConfig, MinimumConfig, SearchSystem};
use ee_tune::{
    Calibrated, DataChecksum, Decision, Machine, PreciseTuning, QuestionFile, Reproducibility,
    calibrate,
};
use jiff::Timestamp;
use serde::Serialize;

use super::files;
use crate::commands::eval::common::dataset;
use crate::commands::eval::compare::{command, print_rows, write_report};
use crate::commands::eval::scratch::Scratch;
use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line};
use crate::progress::QuestionBar;
use crate::settings::TUNED_FILE;
use crate::workbench::Workbench;

/// Options of a calibration.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The dataset: a path, or a name looked up under $`EERAG_DATA`
    #[arg(long, value_name = "PATH")]
    data: PathBuf,
    /// Seed of every interval
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// The folder for the report
    #[arg(long, value_name = "FOLDER", default_value = "eerag-tune")]
    out: PathBuf,
    /// The file for the proposed settings; the default one is read by every command run here
    #[arg(long, value_name = "FILE", default_value = TUNED_FILE)]
    tuned: PathBuf,
}

/// What was fitted, as sections of a configuration file.
#[derive(Serialize)]
struct Fitted<'a> {
    blend: &'a BlendConfig,
    minimum: &'a MinimumConfig,
}

/// Fits on one half, judges on the other, and leaves what is proposed where later commands find it.
pub(super) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let (started, began) = (Timestamp::now(), Instant::now());
    let path = dataset(&options.data)?;
    let (file, system) = (QuestionFile::Queries, SearchSystem::Precise);
    let (labelled, scratch) = Scratch::labelled(bench, &path, file, system)?;
    let bar = QuestionBar::new(bench.hides_progress());
    let scope = bench.scope(&IdentityFlags::default());
    let prepared = PreciseTuning::prepare(&scratch.knowledge, &labelled, &scope, &bar);
    bar.finish();
    let subject = prepared?;
    let mut calibrated = calibrate(&subject, &bench.settings().tunable(), options.seed)?;
    let embed = &bench.settings().embed;
    let models = [
        ("embedder", &embed.model),
        ("cross-encoder", &embed.reranker),
    ];
    calibrated.report.reproducibility = Reproducibility {
        command: command(),
        started: started.to_string(),
        seconds: began.elapsed().as_secs_f64(),
        versions: [("eerag".to_owned(), env!("CARGO_PKG_VERSION").to_owned())].into(),
        models: models
            .map(|(role, name)| (role.to_owned(), name.clone()))
            .into(),
        data: DataChecksum::of(&path)?,
        machine: Machine::here(),
        ..calibrated.report.reproducibility
    };
    std::fs::create_dir_all(&options.out)
        .with_context(|| format!("cannot make the folder {}", options.out.display()))?;
    for name in ["calibration.html", "calibration.json"] {
        write_report(&options.out.join(name), &calibrated.report)?;
    }
    let proposed = calibrated.report.verdict.decision == Decision::Proposed;
    if proposed {
        files::write_section(&options.tuned, &section(&calibrated)?, &calibrated.report)?;
    }
    if bench.json() {
        print_json(&calibrated.report)?;
    } else {
        let report = &calibrated.report;
        print_line(format!("{}: {}", report.title, report.verdict.reason))?;
        print_rows(&report.comparisons)?;
        print_line(if proposed {
            format!("settings: {}", options.tuned.display())
        } else {
            "nothing changes".to_owned()
        })?;
    }
    Ok(Ending::nothing_if(!proposed))
}

fn section(calibrated: &Calibrated) -> Result<String> {
    let precise = &calibrated.fitted.precise;
    let fitted = Fitted {
        blend: &precise.blend,
        minimum: &precise.minimum,
    };
    Ok(toml::to_string_pretty(&BTreeMap::from([(
        "precise", fitted,
    )]))?)
}
