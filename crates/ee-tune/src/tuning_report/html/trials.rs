//! All trials.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::super::{Trial, TrialOutcome, TuningReport};
use super::number::number;

pub(super) fn section(report: &TuningReport) -> Markup {
    let keys: BTreeSet<&String> = report
        .trials
        .iter()
        .flat_map(|one| one.parameters.keys())
        .collect();
    html! {
        @if !report.trials.is_empty() {
            section {
                h2 { "All trials" }
                details open[report.trials.len() <= 12] {
                    summary { (report.trials.len()) " trials" }
                    div.wide {
                        table {
                            thead {
                                tr {
                                    th.number { "trial" } th { "from" }
                                    @for objective in &report.objectives { th.number { (objective.name) } }
                                    th.number { "questions" }
                                    @for key in &keys { th { code { (key) } } }
                                    th { "outcome" }
                                }
                            }
                            tbody { @for trial in &report.trials { (line(trial, report, &keys)) } }
                        }
                    }
                }
            }
        }
    }
}

fn line(trial: &Trial, report: &TuningReport, keys: &BTreeSet<&String>) -> Markup {
    let on_front = report.pareto_front.contains(&trial.number);
    html! {
        tr {
            td.number { (trial.number) } td { (trial.origin) }
            @for objective in &report.objectives {
                td.number { (trial.objectives.get(&objective.name).copied().map_or("–".to_owned(), number)) }
            }
            td.number { (trial.questions) }
            @for key in keys { td { @if let Some(value) = trial.parameters.get(*key) { (value) } } }
            td { (outcome(&trial.outcome)) @if on_front { ", Pareto front" } }
        }
    }
}

fn outcome(outcome: &TrialOutcome) -> String {
    match outcome {
        TrialOutcome::Finished => "finished".to_owned(),
        TrialOutcome::Stopped => "stopped early".to_owned(),
        TrialOutcome::Failed(why) => format!("failed: {why}"),
    }
}
