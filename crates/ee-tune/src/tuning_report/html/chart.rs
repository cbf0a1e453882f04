//! Points in a plane, as a picture that takes its colours from the page.

use maud::{Markup, html};

use super::axis::Axis;
use super::number::tick;

/// The picture's size and margins, in its own units.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// Labels that are nearer to another one than this are left out: across and down.
const LABEL_SPACE: (f64, f64) = (110.0, 15.0);

/// The most letters of a label.
const LABEL_LETTERS: usize = 22;

/// A chart.
pub(super) struct Chart<'a> {
    /// What is drawn, for those who do not see it.
    pub(super) description: &'a str,
    pub(super) x_label: &'a str,
    pub(super) y_label: &'a str,
    pub(super) points: Vec<Point>,
    /// Joins the points in this order.
    pub(super) line: Vec<(f64, f64)>,
    /// Names of places on the x axis; empty for an axis of numbers.
    pub(super) x_names: Vec<(f64, String)>,
}

/// A point.
#[derive(Default)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The interval of `y`.
    pub(super) range: Option<[f64; 2]>,
    /// `front`, `default` or nothing.
    pub(super) class: &'static str,
    /// What is shown when the pointer rests on it.
    pub(super) title: String,
    /// What stands beside it.
    pub(super) label: Option<String>,
}

impl Chart<'_> {
    pub(super) fn draw(&self) -> Markup {
        let (x, y) = (self.x_axis(), self.y_axis());
        html! {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(self.description) {
                (self.y_grid(y))
                (self.x_ticks(x))
                @if !self.line.is_empty() { polyline class="line" points=(path(&self.line, x, y)) {} }
                @for point in &self.points { (mark(point, x, y)) }
                (self.labels(x, y))
            }
        }
    }

    fn x_axis(&self) -> Axis {
        let (from, to) = (LEFT, WIDTH - RIGHT);
        if self.x_names.is_empty() {
            return Axis::over(self.points.iter().map(|point| point.x), from, to);
        }
        let last = self.x_names.len() as f64 - 0.5;
        Axis::over([-0.5, last].into_iter(), from, to)
    }

    fn y_axis(&self) -> Axis {
        let ends = |point: &Point| {
            let [low, high] = point.range.unwrap_or([point.y, point.y]);
            [point.y, low, high]
        };
        Axis::over(self.points.iter().flat_map(ends), HEIGHT - BOTTOM, TOP)
    }

    fn y_grid(&self, y: Axis) -> Markup {
        html! {
            @for value in y.ticks() {
                line class="grid" x1=(LEFT) x2=(WIDTH - RIGHT) y1=(at(y.place(value))) y2=(at(y.place(value))) {}
                text x=(LEFT - 8.0) y=(at(y.place(value) + 4.0)) text-anchor="end" { (tick(value)) }
            }
            text x=(LEFT) y=(TOP - 3.0) { (self.y_label) }
        }
    }

    fn x_ticks(&self, x: Axis) -> Markup {
        let base = HEIGHT - BOTTOM;
        let numbers = x.ticks().into_iter().map(|value| (value, tick(value)));
        let ticks: Vec<(f64, String)> = if self.x_names.is_empty() {
            numbers.collect()
        } else {
            self.x_names.clone()
        };
        html! {
            line class="axis" x1=(LEFT) x2=(WIDTH - RIGHT) y1=(base) y2=(base) {}
            @for (value, name) in ticks {
                text x=(at(x.place(value))) y=(base + 17.0) text-anchor="middle" { (shortened(&name, 14)) }
            }
            text x=(f64::midpoint(LEFT, WIDTH - RIGHT)) y=(HEIGHT - 6.0) text-anchor="middle" { (self.x_label) }
        }
    }

    /// Labels that have room, from the first point on.
    fn labels(&self, x: Axis, y: Axis) -> Markup {
        let mut taken: Vec<(f64, f64)> = Vec::new();
        let mut shown = Vec::new();
        for point in &self.points {
            let Some(label) = &point.label else { continue };
            let (across, down) = (x.place(point.x), y.place(point.y));
            let is_free = |(a, d): &(f64, f64)| {
                (a - across).abs() > LABEL_SPACE.0 || (d - down).abs() > LABEL_SPACE.1
            };
            if taken.iter().all(is_free) {
                taken.push((across, down));
                shown.push((across, down, shortened(label, LABEL_LETTERS)));
            }
        }
        html! {
            @for (across, down, label) in shown {
                @let (anchor, shift) = if across > WIDTH * 0.62 { ("end", -9.0) } else { ("start", 9.0) };
                text.label x=(at(across + shift)) y=(at(down - 6.0)) text-anchor=(anchor) { (label) }
            }
        }
    }
}

fn mark(point: &Point, x: Axis, y: Axis) -> Markup {
    let (across, down) = (at(x.place(point.x)), at(y.place(point.y)));
    html! {
        @if let Some([low, high]) = point.range {
            line class="range" x1=(across) x2=(across) y1=(at(y.place(low))) y2=(at(y.place(high))) {}
        }
        circle class=(format!("point {}", point.class).trim()) cx=(across) cy=(down) r="5" {
            title { (point.title) }
        }
    }
}

fn path(line: &[(f64, f64)], x: Axis, y: Axis) -> String {
    let places = line
        .iter()
        .map(|(across, down)| format!("{},{}", at(x.place(*across)), at(y.place(*down))));
    places.collect::<Vec<_>>().join(" ")
}

/// A place with one decimal.
fn at(place: f64) -> String {
    format!("{place:.1}")
}

fn shortened(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    let kept: String = text.chars().take(letters.saturating_sub(1)).collect();
    format!("{kept}…")
}
