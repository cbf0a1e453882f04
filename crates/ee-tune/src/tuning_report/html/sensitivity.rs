//! What each parameter does.

use maud::{Markup, html};

use super::super::{ParameterValue, Sensitivity, TuningReport};
use super::chart::{Chart, Point};
use super::number::number;

pub(super) fn section(report: &TuningReport) -> Markup {
    let quality = report
        .objectives
        .first()
        .map_or("", |one| one.name.as_str());
    html! {
        @if !report.sensitivity.is_empty() {
            section {
                h2 { "What each parameter does" }
                p.muted {
                    "The share is how much of the variance of " (quality) " between trials goes with \
                     the parameter. Filled: the best trial's value; hollow: the value before."
                }
                div.charts { @for one in &report.sensitivity { (figure(one, quality)) } }
            }
        }
    }
}

fn figure(one: &Sensitivity, quality: &str) -> Markup {
    let percent = (one.importance.clamp(0.0, 1.0) * 100.0).round();
    html! {
        figure {
            h3 { code { (one.parameter) } }
            p.muted {
                span.share style=(format!("width:{}px", (percent * 0.8).max(2.0))) {}
                (percent) "% of the variance; " (one.default) " before, " (one.best) " best"
            }
            (chart(one, quality).draw())
            @if !one.description.is_empty() { figcaption { (one.description) } }
        }
    }
}

fn chart<'a>(one: &'a Sensitivity, quality: &'a str) -> Chart<'a> {
    let are_numbers = one
        .points
        .iter()
        .all(|point| point.value.as_f64().is_some());
    let placed = one.points.iter().enumerate().map(|(place, point)| {
        let x = point.value.as_f64().filter(|_| are_numbers);
        (x.unwrap_or(place as f64), point)
    });
    let points: Vec<Point> = placed
        .clone()
        .map(|(x, point)| Point {
            x,
            y: point.objective,
            range: point.interval,
            class: class(one, &point.value),
            title: format!("{}: {}", point.value, number(point.objective)),
            label: None,
        })
        .collect();
    let line = points
        .iter()
        .map(|point| (point.x, point.y))
        .filter(|_| are_numbers);
    let names = placed.map(|(x, point)| (x, point.value.to_string()));
    Chart {
        description: &one.parameter,
        x_label: &one.parameter,
        y_label: quality,
        line: line.collect(),
        x_names: names.filter(|_| !are_numbers).collect(),
        points,
    }
}

fn class(one: &Sensitivity, value: &ParameterValue) -> &'static str {
    match (*value == one.best, *value == one.default) {
        (true, _) => "front",
        (false, true) => "default",
        _ => "",
    }
}
