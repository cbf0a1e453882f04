//! `eerag doctor`: whether everything is sound, and what mends what is not.

use anyhow::Result;
use clap::Args;
use ee_embed::EmbedError;
use ee_pipeline::HealthReport;
use km_core::Administrator;
use serde::Serialize;

use crate::database::Need;
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
    report(&checks(bench), bench.json())
}

/// Reports settings that cannot be read; without them nothing else can be looked at.
pub(crate) fn report_settings(error: anyhow::Error, json: bool) -> Result<Ending> {
    let remedy = "correct it there; `eerag config reference` describes every setting";
    report(&[Check::of("settings", Err(error), remedy)], json)
}

fn report(checks: &[Check], json: bool) -> Result<Ending> {
    if json {
        print_json(&checks)?;
    } else {
        checks.iter().try_for_each(print_check)?;
    }
    let broken = checks.iter().filter(|check| !check.sound).count();
    if broken > 0 {
        anyhow::bail!("{broken} of {} checks found something broken", checks.len());
    }
    Ok(Ending::Done)
}

fn print_check(check: &Check) -> Result<()> {
    let mark = if check.sound { "ok     " } else { "BROKEN " };
    print_line(format!("{mark}{:<14} {}", check.what, check.said))?;
    if let Some(remedy) = &check.remedy {
        print_line(format!("       {:<14} mend it: {remedy}", ""))?;
    }
    Ok(())
}

/// What is there to check, each only where what it rests on is sound.
fn checks(bench: &Workbench) -> Vec<Check> {
    let mut checks = vec![
        Check::of("settings", Ok("read and in range".to_owned()), ""),
        model(bench),
    ];
    let steps: [fn(&Workbench) -> Vec<Check>; 2] = [runtime, storage];
    for step in steps {
        if checks.iter().all(|check| check.sound) {
            checks.extend(step(bench));
        }
    }
    checks
}

fn model(bench: &Workbench) -> Check {
    let settings = bench.settings();
    let found = settings.models().and_then(|models| {
        let name = &settings.embed.model;
        models.embedder(name)?;
        Ok(format!("{name} in {}", models.folder().display()))
    });
    let unknown = found.as_ref().is_err_and(|error| {
        let error = error.downcast_ref::<EmbedError>();
        matches!(error, Some(EmbedError::UnknownModel { .. }))
    });
    let remedy = if unknown {
        "set `embed.model` to one of the known names"
    } else {
        "eerag models fetch"
    };
    Check::of("model", found, remedy)
}

fn runtime(bench: &Workbench) -> Vec<Check> {
    let embedder = bench.onnx_embedder(&bench.settings().embed);
    let embedder = embedder.map(|_| "loads and runs".to_owned());
    vec![Check::of("runtime", embedder, "eerag models fetch")]
}

fn storage(bench: &Workbench) -> Vec<Check> {
    match database(bench) {
        Ok(None) => stored(bench),
        Ok(Some(none_yet)) => vec![Check::of("database", Ok(none_yet), "")],
        Err(error) => {
            let remedy = "name a file with --db or in `paths.database`";
            vec![Check::of("database", Err(error), remedy)]
        }
    }
}

/// What there is to say about a database that does not exist.
fn database(bench: &Workbench) -> Result<Option<String>> {
    let path = bench.settings().database()?;
    Need::Made.check(&path)?;
    let none_yet = || {
        format!(
            "none yet at {}: `eerag ingest PATH` makes it",
            path.display()
        )
    };
    Ok((!path.exists()).then(none_yet))
}

fn stored(bench: &Workbench) -> Vec<Check> {
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
