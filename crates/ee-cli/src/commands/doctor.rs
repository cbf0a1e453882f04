//! `eerag doctor`: whether everything is sound, and what mends what is not.

use anyhow::Result;
use clap::Args;
use ee_pipeline::HealthReport;
use km_core::Administrator;
use serde::Serialize;

use crate::output::{Ending, print_json, print_line, with_causes};
use crate::workbench::Workbench;

/// Options of `eerag doctor`.
#[derive(Debug, Args)]
pub(crate) struct Options {}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    what: &'static str,
    sound: bool,
    said: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Check {
    fn of(what: &'static str, outcome: Result<String>, remedy: &str) -> Self {
        match outcome {
            Ok(said) => Self {
                what,
                sound: true,
                said,
                remedy: None,
            },
            Err(error) => {
                let (said, remedy) = (with_causes(&error), Some(remedy.to_owned()));
                Self {
                    what,
                    sound: false,
                    said,
                    remedy,
                }
            }
        }
    }
}

/// Checks models, library, database and indexes. Fails when something is not sound.
pub(crate) fn run(bench: &Workbench, _options: &Options) -> Result<Ending> {
    let checks = checks(bench);
    if bench.json() {
        print_json(&checks)?;
    } else {
        for check in &checks {
            let mark = if check.sound { "ok     " } else { "BROKEN " };
            print_line(format!("{mark}{:<14} {}", check.what, check.said))?;
            if let Some(remedy) = &check.remedy {
                print_line(format!("       {:<14} mend it: {remedy}", ""))?;
            }
        }
    }
    let broken = checks.iter().filter(|check| !check.sound).count();
    if broken > 0 {
        anyhow::bail!("{broken} of {} checks found something broken", checks.len());
    }
    Ok(Ending::Done)
}

fn checks(bench: &Workbench) -> Vec<Check> {
    let settings = bench.settings();
    let model = settings.models().and_then(|models| {
        models.embedder(&settings.embed.model)?;
        Ok(format!(
            "{} in {}",
            settings.embed.model,
            models.folder().display()
        ))
    });
    let embedder = bench
        .onnx_embedder(&settings.embed)
        .map(|_| "loads and runs".to_owned());
    let mut checks = vec![
        Check::of("settings", Ok("read and in range".to_owned()), ""),
        Check::of("model", model, "eerag models fetch"),
        Check::of("runtime", embedder, "eerag models fetch"),
    ];
    if checks.iter().all(|check| check.sound) {
        checks.extend(storage(bench));
    }
    checks
}

fn storage(bench: &Workbench) -> Vec<Check> {
    let parts = match bench.parts() {
        Ok(parts) => parts,
        Err(error) => {
            let remedy = "name another file with --db, or restore a backup";
            return vec![Check::of("database", Err(error), remedy)];
        }
    };
    let report = HealthReport::of(&parts, Administrator::assume());
    let said = format!(
        "text index at {}, vectors at {}",
        report.text.reached, report.vectors.reached
    );
    let mut checks: Vec<Check> = report
        .findings
        .iter()
        .map(|finding| Check {
            what: "storage",
            sound: false,
            said: finding.problem.clone(),
            remedy: Some(finding.remedy.clone()),
        })
        .collect();
    if checks.is_empty() {
        checks.push(Check::of("storage", Ok(format!("sound; {said}")), ""));
    }
    checks
}
