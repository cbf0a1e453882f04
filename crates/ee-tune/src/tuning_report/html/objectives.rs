//! Quality against what it costs.

use maud::{Markup, html};

use super::super::{Objective, ObjectiveRole, Trial, TrialOutcome, TuningReport, pareto_front};
use super::chart::{Chart, Point};
use super::number::number;

/// Intervals are drawn where they do not hide each other.
const MOST_WITH_INTERVALS: usize = 24;

pub(super) fn section(report: &TuningReport) -> Markup {
    let role = |role| move |one: &&Objective| one.role == role;
    let quality = report.objectives.iter().find(role(ObjectiveRole::Quality));
    let costs = report
        .objectives
        .iter()
        .filter(|one| one.role != ObjectiveRole::Quality);
    let costs: Vec<&Objective> = costs.filter(|cost| varies(&report.trials, cost)).collect();
    html! {
        @if let Some(quality) = quality.filter(|_| !costs.is_empty()) {
            section {
                h2 { "Quality against cost" }
                (key())
                div class="charts large" {
                    @for cost in &costs { (figure(report, quality, cost)) }
                }
            }
        }
    }
}

fn varies(trials: &[Trial], objective: &Objective) -> bool {
    let mut values = trials
        .iter()
        .filter_map(|trial| trial.objectives.get(&objective.name));
    let first = values.next();
    values.any(|value| Some(value) != first)
}

fn key() -> Markup {
    let dot = |class: &str| {
        html! { svg viewBox="0 0 12 12" aria-hidden="true" { circle class=(class) cx="6" cy="6" r="5" {} } }
    };
    html! {
        ul.key {
            li { (dot("point front")) "on the Pareto front: nothing is better in every objective" }
            li { (dot("point")) "other trials" }
            li { (dot("point default")) "the setting in force, or the baseline" }
        }
    }
}

fn figure(report: &TuningReport, quality: &Objective, cost: &Objective) -> Markup {
    let few = report.trials.len() <= MOST_WITH_INTERVALS;
    // Of three objectives the front is a surface: the line joins what is best of these two alone.
    let best = pareto_front(&report.trials, &[quality.clone(), cost.clone()]);
    let finished = report
        .trials
        .iter()
        .filter(|one| one.outcome == TrialOutcome::Finished);
    let placed: Vec<(&Trial, f64, f64)> = finished
        .filter_map(|trial| {
            let (x, y) = (
                trial.objectives.get(&cost.name)?,
                trial.objectives.get(&quality.name)?,
            );
            Some((trial, *x, *y))
        })
        .collect();
    let is_best = |trial: &Trial| best.contains(&trial.number);
    let points = placed.iter().map(|(trial, x, y)| Point {
        x: *x,
        y: *y,
        range: trial.intervals.get(&quality.name).copied().filter(|_| few),
        class: class(trial, report),
        title: title(trial, quality, cost),
        label: (trial.number == 0 || is_best(trial)).then(|| label(trial)),
    });
    let line = placed.iter().filter(|(trial, _, _)| is_best(trial));
    let mut line: Vec<(f64, f64)> = line.map(|(_, x, y)| (*x, *y)).collect();
    line.sort_by(|a, b| a.0.total_cmp(&b.0));
    let x_label = match cost.unit.as_str() {
        "" => cost.name.clone(),
        unit => format!("{} ({unit})", cost.name),
    };
    let description = format!("{} of every trial against {x_label}", quality.name);
    let chart = Chart {
        description: &description,
        x_label: &x_label,
        y_label: &quality.name,
        points: points.collect(),
        line,
        x_names: Vec::new(),
    };
    html! {
        figure {
            (chart.draw())
            figcaption {
                (description) "; the line joins the best at each cost."
                @if few { " Bars are 95% intervals over questions." }
            }
        }
    }
}

fn class(trial: &Trial, report: &TuningReport) -> &'static str {
    let on_front = report.pareto_front.contains(&trial.number);
    match (trial.number == 0, on_front) {
        (true, _) => "default",
        (false, true) => "front",
        (false, false) => "",
    }
}

fn label(trial: &Trial) -> String {
    match trial.origin.as_str() {
        "" | "random" | "tpe" => format!("trial {}", trial.number),
        origin => origin.to_owned(),
    }
}

fn title(trial: &Trial, quality: &Objective, cost: &Objective) -> String {
    let value = |objective: &Objective| trial.objectives.get(&objective.name).copied();
    let shown = |objective: &Objective| {
        let value = value(objective).map_or(String::new(), number);
        format!("{} {value}", objective.name)
    };
    let parameters = trial
        .parameters
        .iter()
        .map(|(key, value)| format!("{key} = {value}"));
    let mut lines = vec![format!("trial {}, {}", trial.number, trial.origin)];
    lines.extend([shown(quality), shown(cost)]);
    lines.extend(parameters);
    lines.join("\n")
}
