//! One search, from the first trial to the files that it leaves.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum};
use ee_tune::{
    Costs, DataChecksum, Decision, Journal, Machine, Method, Preset, Reproducibility, SearchSpace,
    TunableSettings, TuneError, Tuned, TuningPlan, TuningReport, TuningRun, TuningSubject,
    metric_named, tune,
};
use jiff::Timestamp;

use super::files;
use super::subject::Suite;
use crate::arguments::from_one_on;
use crate::commands::eval::common::dataset;
use crate::commands::eval::compare::{command, print_rows, write_report};
use crate::output::{Ending, print_json, print_line};
use crate::progress::TrialBar;
use crate::settings::TUNED_FILE;
use crate::workbench::Workbench;

/// Options of a search.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The dataset: a path, or a name looked up under $`EERAG_DATA`
    #[arg(long, value_name = "PATH")]
    data: PathBuf,
    /// How many settings are tried
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = from_one_on)]
    trials: usize,
    /// How the next setting is chosen
    #[arg(long, value_enum, default_value_t = How::Tpe)]
    method: How,
    /// Seed of the search and of every interval
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// The metric that decides; by default the suite's first
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Search this setting, for example `search.dense_weight`; may be repeated. By default those
    /// that matter most to the suite
    #[arg(long = "parameter", value_name = "KEY")]
    parameters: Vec<String>,
    /// What to begin with and to beat
    #[arg(long, value_enum, default_value_t = Start::Current)]
    from: Start,
    /// What the search weighs beside quality; may be repeated. The Pareto front shows all
    #[arg(long = "weigh", value_enum, value_name = "COST")]
    costs: Vec<Cost>,
    /// The folder for the report and the record of trials
    #[arg(long, value_name = "FOLDER", default_value = "eerag-tune")]
    out: PathBuf,
    /// The file for the proposed settings; the default one is read by every command run here
    #[arg(long, value_name = "FILE", default_value = TUNED_FILE)]
    tuned: PathBuf,
    /// Go on with the trials that --out holds
    #[arg(long)]
    resume: bool,
    /// Put proposed settings into the configuration file itself
    #[arg(long, conflicts_with = "tuned")]
    apply: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum How {
    /// Parzen estimators
    Tpe,
    /// Uniform draws
    Random,
    /// Many settings on few questions, the better ones on more
    Halving,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Start {
    /// The settings in force
    Current,
    /// What the program ships with
    Shipped,
    /// The defaults of the seed documents
    Seed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Cost {
    /// Tokens that the model is shown
    Tokens,
    /// Time
    Time,
}

/// Searches, reports, and leaves the proposed settings where later commands find them.
pub(super) fn run(bench: &Workbench, suite: Suite, options: &Options) -> Result<Ending> {
    let (started, began) = (Timestamp::now(), Instant::now());
    let subject = suite.prepare(bench, &options.data)?;
    let subject = subject.as_ref();
    let plan = options.plan(bench, subject)?;
    plan.check(subject)?;
    let mut tuned = options.search(bench, subject, &plan)?;
    tuned.report.reproducibility = Reproducibility {
        command: command(),
        started: started.to_string(),
        seconds: began.elapsed().as_secs_f64(),
        versions: [("eerag".to_owned(), env!("CARGO_PKG_VERSION").to_owned())].into(),
        models: [("embedder".to_owned(), bench.settings().embed.model.clone())].into(),
        data: DataChecksum::of(&dataset(&options.data)?)?,
        machine: Machine::here(),
        ..tuned.report.reproducibility
    };
    write_report(&options.out.join("report.html"), &tuned.report)?;
    write_report(&options.out.join("report.json"), &tuned.report)?;
    let written = options.leave(bench, &tuned, subject)?;
    if bench.json() {
        print_json(&tuned.report)?;
    } else {
        print_outcome(&tuned.report)?;
        print_line(format!(
            "report:  {}",
            options.out.join("report.html").display()
        ))?;
        if let Some(path) = &written {
            print_line(format!("settings: {}", path.display()))?;
        }
    }
    Ok(Ending::nothing_if(written.is_none()))
}

impl Options {
    fn plan(&self, bench: &Workbench, subject: &dyn TuningSubject) -> Result<TuningPlan> {
        let all = SearchSpace::declared()?;
        let space = if self.parameters.is_empty() {
            all.select(subject.searched())
        } else {
            all.select(&self.parameters)
        };
        Ok(TuningPlan {
            space: space?,
            method: match self.method {
                How::Tpe => Method::Tpe,
                How::Random => Method::Random,
                How::Halving => Method::Halving,
            },
            trials: self.trials,
            seed: self.seed,
            current: self.start(bench)?,
            metric: match &self.metric {
                Some(name) => metric_named(subject, name)?,
                None => 0,
            },
            costs: Costs {
                tokens: self.costs.contains(&Cost::Tokens),
                milliseconds: self.costs.contains(&Cost::Time),
            },
        })
    }

    fn start(&self, bench: &Workbench) -> Result<TunableSettings> {
        Ok(match self.from {
            Start::Current => bench.settings().tunable(),
            Start::Shipped => Preset::Shipped.settings()?,
            Start::Seed => Preset::Seed.settings()?,
        })
    }

    fn search(
        &self,
        bench: &Workbench,
        subject: &dyn TuningSubject,
        plan: &TuningPlan,
    ) -> Result<Tuned> {
        std::fs::create_dir_all(&self.out)
            .with_context(|| format!("cannot make the folder {}", self.out.display()))?;
        let (path, header) = (self.out.join("trials.jsonl"), plan.header(subject)?);
        let mut journal = if self.resume {
            Journal::resume(&path, &header)?
        } else {
            Journal::begin(&path, &header)?
        };
        let bar = TrialBar::new(bench.hides_progress());
        let run = TuningRun {
            subject,
            plan,
            progress: &bar,
            cancellation: bench.cancellation(),
            explain: true,
        };
        let outcome = tune(run, Some(&mut journal));
        bar.finish();
        outcome.map_err(|error| match error {
            TuneError::Cancelled => anyhow!(
                "interrupted; the trials are in {}: the same command with --resume goes on",
                path.display()
            ),
            other => other.into(),
        })
    }

    /// Writes what was proposed; the file, where something was.
    fn leave(
        &self,
        bench: &Workbench,
        tuned: &Tuned,
        subject: &dyn TuningSubject,
    ) -> Result<Option<PathBuf>> {
        if tuned.report.verdict.decision != Decision::Proposed {
            return Ok(None);
        }
        let shown = files::differences(&bench.settings().tunable(), tuned, subject)?;
        let path = if self.apply {
            files::apply(bench, &shown)?
        } else {
            files::write(&self.tuned, &shown)?;
            self.tuned.clone()
        };
        Ok(Some(path))
    }
}

fn print_outcome(report: &TuningReport) -> Result<()> {
    print_line(format!("{}: {}", report.title, report.verdict.reason))?;
    for change in &report.verdict.changes {
        let (key, from, to) = (&change.key, &change.from, &change.to);
        print_line(format!("  {key} = {to} (was {from}): {}", change.evidence))?;
    }
    print_rows(&report.comparisons)?;
    let front = report.pareto_front.len();
    let (trials, seconds) = (report.trials.len(), report.reproducibility.seconds);
    print_line(format!(
        "{trials} trials, {front} on the Pareto front, {seconds:.1} s"
    ))
}
