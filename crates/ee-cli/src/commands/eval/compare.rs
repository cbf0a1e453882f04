//! `eerag eval compare`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use ee_tune::{
    ComparisonRow, Machine, QaScore, Reproducibility, RunComparison, RunRows, RunsReport,
    TuningReport, report_runs, write_html, write_json,
};
use jiff::Timestamp;

use super::common::create;
use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag eval compare`.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Rows of the run that the others are compared with, from `eerag eval SUITE --rows FILE`
    #[arg(value_name = "BASELINE")]
    baseline: PathBuf,
    /// Rows of the other runs, over the same data
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<PathBuf>,
    /// Only this metric; may be repeated. By default all metrics and costs
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
    /// For `qa`: what counts as a good answer
    #[arg(long, value_enum)]
    score: Option<Score>,
    /// With `--score composite`: what a wrong answer costs
    #[arg(long, value_name = "PENALTY", default_value_t = 1.0)]
    wrong_penalty: f64,
    /// Seed of the bootstrap and the randomisation test
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Write a report to this file: one HTML page, or JSON where the name ends so. May be repeated
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// The report's heading
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

/// What counts as a good answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Score {
    /// Accepted answers
    Correct,
    /// Accepted and possible answers
    CorrectOrPossible,
    /// Accepted answers, half of the possible ones, less a penalty for wrong ones
    Composite,
}

/// Compares runs over the same data and prints or reports the differences.
pub(super) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let (started, began) = (SystemTime::now(), std::time::Instant::now());
    let score = options.score()?;
    let paths: Vec<&PathBuf> = std::iter::once(&options.baseline)
        .chain(&options.others)
        .collect();
    let loaded = paths.iter().map(|path| RunRows::load(path));
    let runs = loaded.collect::<Result<Vec<_>, _>>()?;
    let names = names(&paths);
    let comparison = RunComparison {
        metrics: &options.metric,
        score,
        seed: options.seed,
    };
    let reproducibility = Reproducibility {
        command: command(),
        started: Timestamp::try_from(started)?.to_string(),
        versions: [("eerag".to_owned(), env!("CARGO_PKG_VERSION").to_owned())].into(),
        machine: Machine::here(),
        ..Reproducibility::default()
    };
    let header = runs.first().map(|run| &run.header);
    let subject = header.map_or(String::new(), |header| {
        format!("{} on {}", header.suite, header.data)
    });
    let title = options.title.clone();
    let mut report = report_runs(
        &runs,
        RunsReport {
            title: title.unwrap_or_else(|| format!("{subject}: {} runs compared", runs.len())),
            names: &names,
            comparison,
            reproducibility,
        },
    )?;
    report.reproducibility.seconds = began.elapsed().as_secs_f64();
    for path in &options.report {
        write_report(path, &report)?;
    }
    if bench.json() {
        print_json(&report.comparisons)?;
    } else {
        print_rows(&report.comparisons)?;
    }
    Ok(Ending::Done)
}

impl Options {
    fn score(&self) -> Result<Option<QaScore>> {
        let wrong_penalty = self.wrong_penalty;
        ensure!(
            wrong_penalty >= 0.0 && wrong_penalty.is_finite(),
            "--wrong-penalty is {wrong_penalty}: expected 0 or more"
        );
        Ok(self.score.map(|score| match score {
            Score::Correct => QaScore::Correct,
            Score::CorrectOrPossible => QaScore::CorrectOrPossible,
            Score::Composite => QaScore::Composite { wrong_penalty },
        }))
    }
}

/// The files' names without their endings; the whole path where two would be the same.
fn names(paths: &[&PathBuf]) -> Vec<String> {
    let short = |path: &Path| {
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let all: Vec<Option<String>> = paths.iter().map(|path| short(path)).collect();
    let named = paths.iter().zip(&all).map(|(path, name)| {
        let alike = all.iter().filter(|other| *other == name).count();
        let unique = name.clone().filter(|_| alike == 1);
        unique.unwrap_or_else(|| path.display().to_string())
    });
    named.collect()
}

/// The command line, arguments with white space in quotes.
pub(in crate::commands) fn command() -> String {
    let arguments = std::env::args().skip(1).map(|argument| {
        if argument.is_empty() || argument.contains(char::is_whitespace) {
            format!("{argument:?}")
        } else {
            argument
        }
    });
    std::iter::once("eerag".to_owned())
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Writes a report: one HTML page, or JSON where the name ends so.
pub(in crate::commands) fn write_report(path: &Path, report: &TuningReport) -> Result<()> {
    let mut out = create(path)?;
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let written = if is_json {
        write_json(report, &mut out)
    } else {
        write_html(report, &mut out)
    };
    let written = written.and_then(|()| out.flush());
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// A line for each comparison, under what is compared.
pub(in crate::commands) fn print_rows(rows: &[ComparisonRow]) -> Result<()> {
    let mut pair = (None, None, None);
    for row in rows {
        let current = (Some(&row.data), Some(&row.system), Some(&row.baseline));
        if pair != current {
            pair = current;
            let (data, system, baseline) = (&row.data, &row.system, &row.baseline);
            print_line(format!("{data}: {system} against {baseline}"))?;
        }
        let (metric, value, other) = (&row.metric, row.value, row.baseline_value);
        let ([low, high], difference) = (row.interval, row.difference);
        let (p, questions) = (row.p, row.questions);
        print_line(format!(
            "  {metric:<26} {value:>10.4} against {other:>10.4}  {difference:>+10.4}  95% \
             {low:+.4} to {high:+.4}, p {p:.4}, {questions} questions"
        ))?;
    }
    Ok(())
}
