//! Runs as a report: each is a trial, the first one is what the others are compared with.

use std::collections::BTreeMap;

use super::compare::{RunComparison, compare_runs};
use super::metric::{direction_of, main_metric};
use super::sensitivity::sensitivity;
use super::varied::varied;
use super::worst::worst_questions;
use crate::bootstrap::mean;
use crate::{
    CaseRow, Decision, Direction, Objective, ObjectiveRole, QaScore, Reproducibility, RunRows,
    Trial, TrialOutcome, TuneError, TuningReport, Verdict, confidence_interval, pareto_front,
};

/// What a report of runs is made with.
#[derive(Debug, Clone)]
pub struct RunsReport<'a> {
    /// The page's heading.
    pub title: String,
    /// The runs' names, in their order.
    pub names: &'a [String],
    /// How they are compared.
    pub comparison: RunComparison<'a>,
    /// What it takes to get the same numbers again; data and models are taken from the runs.
    pub reproducibility: Reproducibility,
}

/// Compares runs with the first one, and shows what the settings in which they differ do.
///
/// # Errors
/// [`TuneError::NotComparable`] when there are no runs, or some cannot be compared with the first.
pub fn report_runs(runs: &[RunRows], made: RunsReport<'_>) -> Result<TuningReport, TuneError> {
    let named = || made.names.iter().map(String::as_str).zip(runs);
    let Some(baseline) = named().next() else {
        let what = "there are none".to_owned();
        return Err(TuneError::NotComparable { what });
    };
    let compare = |run| compare_runs(run, baseline, made.comparison);
    let compared = named()
        .skip(1)
        .map(compare)
        .collect::<Result<Vec<_>, _>>()?;
    let quality = Quality::of(baseline.1, made.comparison.score);
    let objectives = vec![
        quality.objective(),
        objective("tokens", ObjectiveRole::Tokens, "tokens a question"),
        objective("milliseconds", ObjectiveRole::Time, "ms a question"),
    ];
    let trials = trials(runs, made.names, &quality, made.comparison.seed);
    let best = best(&trials, &quality);
    let mut reproducibility = made.reproducibility;
    complete(&mut reproducibility, runs, made.comparison.seed);
    Ok(TuningReport {
        title: made.title,
        verdict: verdict(&trials, best, &quality),
        comparisons: compared.into_iter().flatten().collect(),
        pareto_front: pareto_front(&trials, &objectives),
        sensitivity: sensitivity(&trials, best, &quality.name),
        worst_questions: best.and_then(|at| runs.get(at)).map_or(Vec::new(), |run| {
            worst_questions(&run.rows, |row| quality.value(row), quality.direction)
        }),
        objectives,
        trials,
        reproducibility,
    })
}

/// What decides between the runs.
struct Quality {
    name: String,
    score: Option<QaScore>,
    direction: Direction,
}

impl Quality {
    fn of(run: &RunRows, score: Option<QaScore>) -> Self {
        let metric = main_metric(&run.header.suite).map(str::to_owned);
        let first = || {
            run.rows
                .first()
                .and_then(|row| row.metrics.keys().next().cloned())
        };
        let name = metric.or_else(first).unwrap_or_default();
        let name = score.map_or(name, |score| score.name());
        Self {
            direction: direction_of(&name),
            name,
            score,
        }
    }

    fn objective(&self) -> Objective {
        Objective {
            name: self.name.clone(),
            role: ObjectiveRole::Quality,
            direction: self.direction,
            unit: String::new(),
        }
    }

    fn value(&self, row: &CaseRow) -> Option<f64> {
        match self.score {
            Some(score) => score.of(&row.metrics),
            None => row.metrics.get(&self.name).copied(),
        }
    }
}

fn objective(name: &str, role: ObjectiveRole, unit: &str) -> Objective {
    Objective {
        name: name.to_owned(),
        role,
        direction: Direction::Minimise,
        unit: unit.to_owned(),
    }
}

fn trials(runs: &[RunRows], names: &[String], quality: &Quality, seed: u64) -> Vec<Trial> {
    let parameters = varied(runs);
    let runs = runs.iter().zip(names).zip(parameters).enumerate();
    runs.map(|(number, ((run, name), parameters))| {
        let values: Vec<f64> = run
            .rows
            .iter()
            .filter_map(|row| quality.value(row))
            .collect();
        let cost = |cost: fn(&CaseRow) -> f64| mean(&run.rows.iter().map(cost).collect::<Vec<_>>());
        let tokens = cost(|row| (row.cost.sent_tokens + row.cost.received_tokens) as f64);
        let milliseconds = cost(|row| row.cost.milliseconds);
        Trial {
            number,
            origin: name.clone(),
            parameters,
            outcome: TrialOutcome::Finished,
            questions: values.len(),
            objectives: BTreeMap::from([
                (quality.name.clone(), mean(&values)),
                ("tokens".to_owned(), tokens),
                ("milliseconds".to_owned(), milliseconds),
            ]),
            intervals: BTreeMap::from([(quality.name.clone(), confidence_interval(&values, seed))]),
            seconds: milliseconds * run.rows.len() as f64 / 1e3,
        }
    })
    .collect()
}

fn quality_of(trial: &Trial, quality: &Quality) -> f64 {
    let value = trial
        .objectives
        .get(&quality.name)
        .copied()
        .unwrap_or_default();
    match quality.direction {
        Direction::Maximise => value,
        Direction::Minimise => -value,
    }
}

/// The best trial; of equals the first.
fn best(trials: &[Trial], quality: &Quality) -> Option<usize> {
    let ranked = trials.iter().enumerate().rev();
    let best =
        ranked.max_by(|(_, a), (_, b)| quality_of(a, quality).total_cmp(&quality_of(b, quality)));
    best.map(|(place, _)| place)
}

fn verdict(trials: &[Trial], best: Option<usize>, quality: &Quality) -> Verdict {
    let reason = match best.and_then(|at| trials.get(at)) {
        Some(trial) => format!(
            "{} runs were measured and nothing is proposed: of many runs the best is partly \
             luck. The highest mean {} is {:.4} ({}, {} questions).",
            trials.len(),
            quality.name,
            quality_of(trial, quality).abs(),
            trial.origin,
            trial.questions
        ),
        None => "No run was measured.".to_owned(),
    };
    Verdict {
        decision: Decision::Measured,
        reason,
        changes: Vec::new(),
    }
}

fn complete(reproducibility: &mut Reproducibility, runs: &[RunRows], seed: u64) {
    reproducibility.seeds.insert("bootstrap".to_owned(), seed);
    for run in runs {
        let header = &run.header;
        let models = &mut reproducibility.models;
        models.insert("embedder".to_owned(), header.model.clone());
        let versions = &mut reproducibility.versions;
        versions.insert("eerag, rows".to_owned(), header.program.clone());
        for file in &header.files {
            if !reproducibility.data.contains(file) {
                reproducibility.data.push(file.clone());
            }
        }
    }
}
