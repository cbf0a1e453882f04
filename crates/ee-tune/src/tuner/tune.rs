//! A whole search, from the first trial to the verdict.

use std::collections::BTreeMap;

use ee_pipeline::Cancellation;

use super::changes::{Change, Pruner, changed};
use super::cross_validation::cross_validated_gain;
use super::record::column;
use super::sensitivity::Lines;
use super::trials::{Trials, best_of};
use super::verdict::{compare_settings, decide, nothing, parameter_value};
use super::{Journal, Split, TrialRecord, TuningPlan, TuningProgress, TuningSubject};
use crate::space::TunableSettings;
use crate::{
    ComparisonRow, Decision, Direction, Objective, ObjectiveRole, Reproducibility, Trial,
    TrialOutcome, TuneError, TuningReport, Verdict, WorstQuestion, pareto_front,
};

/// How many questions that went badly a report shows.
const WORST: usize = 10;

/// A search to be made.
#[derive(Clone, Copy)]
pub struct TuningRun<'a> {
    /// What is measured.
    pub subject: &'a dyn TuningSubject,
    /// What is asked for.
    pub plan: &'a TuningPlan,
    /// Is told how the search goes on.
    pub progress: &'a dyn TuningProgress,
    /// Stops the search between two trials.
    pub cancellation: &'a Cancellation,
    /// Whether to find out what a report shows beside the verdict.
    pub explain: bool,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Tuned {
    /// The settings to use from now on: the proposed ones, or those in force.
    pub settings: TunableSettings,
    /// The best settings that the search found, proposed or not.
    pub best: TunableSettings,
    /// The report; what makes it reproducible is filled in by the caller.
    pub report: TuningReport,
}

/// Searches, prunes, and decides on the unseen part.
///
/// # Errors
/// [`TuneError::Unread`] for parameters that the subject does not read, [`TuneError::Cancelled`]
/// (what the journal holds is kept), or when a part fails.
pub fn tune(run: TuningRun<'_>, journal: Option<&mut Journal>) -> Result<Tuned, TuneError> {
    let (subject, plan) = (run.subject, run.plan);
    plan.check(subject)?;
    let split = Split::of(subject.cases());
    if split.searched.is_empty() || split.unseen.is_empty() {
        let data = subject.data().to_owned();
        return Err(TuneError::NothingSelected {
            what: "half of the cases".to_owned(),
            data,
        });
    }
    let (progress, cancellation) = (run.progress, run.cancellation);
    let trials = Trials {
        subject,
        plan,
        split: &split,
        progress,
        cancellation,
    };
    let records = trials.run(journal)?;
    let top = records
        .iter()
        .map(|record| record.rung)
        .max()
        .unwrap_or_default();
    let best = best_of(&records, top).map_or_else(Vec::new, |best| best.place.clone());
    let changes = Pruner {
        subject,
        plan,
        split: &split,
    }
    .prune(&best)?;
    let found = changed(&plan.current, &changes)?;
    let gain = cross_validated_gain(&records, top);
    let (verdict, comparisons) = judge(run, &split, &changes, &found, gain)?;
    let settings = match verdict.decision {
        Decision::Proposed => found.clone(),
        _ => plan.current.clone(),
    };
    let mut report = report(run, &records, top);
    (report.verdict, report.comparisons) = (verdict, comparisons);
    if run.explain {
        let whole = records.iter().filter(|record| record.rung == top).collect();
        let lines = Lines {
            subject,
            plan,
            split: &split,
            best: &best,
            trials: whole,
        };
        report.sensitivity = lines.all()?;
        report.worst_questions = worst(run, &split, &found)?;
    }
    Ok(Tuned {
        settings,
        best: found,
        report,
    })
}

/// What the trials alone tell.
fn report(run: TuningRun<'_>, records: &[TrialRecord], top: usize) -> TuningReport {
    let objectives = objectives(run, records);
    let trials: Vec<Trial> = records
        .iter()
        .map(|record| trial(run, record, top))
        .collect();
    let seeds = BTreeMap::from([("search and intervals".to_owned(), run.plan.seed)]);
    TuningReport {
        title: format!("Tuning {} on {}", run.subject.suite(), run.subject.data()),
        verdict: nothing(String::new()),
        comparisons: Vec::new(),
        pareto_front: pareto_front(&trials, &objectives),
        objectives,
        trials,
        sensitivity: Vec::new(),
        worst_questions: Vec::new(),
        reproducibility: Reproducibility {
            seeds,
            ..Reproducibility::default()
        },
    }
}

/// The verdict, with the comparisons that it rests on. The unseen part is looked at once, and only
/// for a setting that gains on cases that did not help to choose it.
fn judge(
    run: TuningRun<'_>,
    split: &Split,
    changes: &[Change],
    found: &TunableSettings,
    gain: f64,
) -> Result<(Verdict, Vec<ComparisonRow>), TuneError> {
    let (subject, plan) = (run.subject, run.plan);
    if changes.is_empty() {
        let reason = "No setting found beats the current one on the searched cases.".to_owned();
        return Ok((nothing(reason), Vec::new()));
    }
    if gain <= 0.0 {
        let reason = format!(
            "Under cross-validation the settings found do not beat the current one: the choice \
             gains {gain:+.4} on folds that did not take part in it."
        );
        return Ok((nothing(reason), Vec::new()));
    }
    let pair = [found, &plan.current];
    let mut rows = compare_settings(subject, pair, &split.unseen, "unseen part", plan.seed)?;
    let verdict = match rows.get(plan.metric) {
        Some(row) => decide(row, plan, changes),
        None => nothing("The deciding metric was not measured.".to_owned()),
    };
    if plan.metric < rows.len() {
        rows.swap(0, plan.metric);
    }
    if run.explain {
        rows.extend(compare_settings(
            subject,
            pair,
            &split.searched,
            "searched part",
            plan.seed,
        )?);
    }
    Ok((verdict, rows))
}

fn objectives(run: TuningRun<'_>, records: &[TrialRecord]) -> Vec<Objective> {
    let objective = |name: &str, role, direction, unit: &str| Objective {
        name: name.to_owned(),
        role,
        direction,
        unit: unit.to_owned(),
    };
    let metric = deciding_metric(run);
    let mut objectives = vec![objective(
        metric,
        ObjectiveRole::Quality,
        Direction::Maximise,
        "",
    )];
    if records.iter().all(|record| record.tokens.is_some()) {
        let unit = "tokens a question";
        objectives.push(objective(
            TOKENS,
            ObjectiveRole::Tokens,
            Direction::Minimise,
            unit,
        ));
    }
    if records.iter().all(|record| record.milliseconds.is_some()) {
        let unit = "ms a question, estimated";
        objectives.push(objective(
            TIME,
            ObjectiveRole::Time,
            Direction::Minimise,
            unit,
        ));
    }
    objectives
}

const TOKENS: &str = "tokens";
const TIME: &str = "milliseconds";

fn deciding_metric(run: TuningRun<'_>) -> &'static str {
    let metrics = run.subject.metrics();
    metrics.get(run.plan.metric).copied().unwrap_or_default()
}

fn trial(run: TuningRun<'_>, record: &TrialRecord, top: usize) -> Trial {
    let space = &run.plan.space;
    let values = match record.number {
        0 => space.values_of(&run.plan.current).unwrap_or_default(),
        _ => space.values_at(&record.place),
    };
    let metric = deciding_metric(run).to_owned();
    let mut objectives = BTreeMap::from([(metric.clone(), record.quality)]);
    objectives.extend(record.tokens.map(|tokens| (TOKENS.to_owned(), tokens)));
    objectives.extend(record.milliseconds.map(|time| (TIME.to_owned(), time)));
    Trial {
        number: record.number,
        origin: record.origin.clone(),
        parameters: values
            .iter()
            .map(|(key, value)| (key.clone(), parameter_value(value)))
            .collect(),
        outcome: if record.rung == top {
            TrialOutcome::Finished
        } else {
            TrialOutcome::Stopped
        },
        questions: record.cases,
        objectives,
        intervals: BTreeMap::from([(metric, record.interval)]),
        seconds: record.seconds,
    }
}

/// The searched cases that went worst; those of the unseen part stay unseen by people too, who
/// would otherwise tune to them.
fn worst(
    run: TuningRun<'_>,
    split: &Split,
    settings: &TunableSettings,
) -> Result<Vec<WorstQuestion>, TuneError> {
    let measures = run.subject.measure(settings, &split.searched)?;
    let values = column(&measures, run.plan.metric);
    let mut scored: Vec<(f64, usize)> = values
        .into_iter()
        .zip(split.searched.iter().copied())
        .collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let shown = scored.into_iter().take(WORST).map(|(score, place)| {
        let shown = run.subject.show(settings, place)?;
        Ok(WorstQuestion { score, ..shown })
    });
    shown.collect()
}
