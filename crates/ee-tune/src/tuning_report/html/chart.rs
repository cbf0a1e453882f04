//! Points in a plane, as a picture that takes its colours from the page.

use maud::{Markup, html};

use super::axis::Axis;
use super::number::tick;

/// The picture's size and margins, in its own units.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// About how wide a letter of a label is, and how high its line.
const LETTER: (f64, f64) = (6.8, 15.0);

/// How far a label stands from its point.
const LABEL_GAP: f64 = 9.0;

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
        let mut shown: Vec<Label> = Vec::new();
        for point in &self.points {
            let label = point.label.as_ref();
            let label = label.map(|text| Label::beside(x.place(point.x), y.place(point.y), text));
            let free = label.filter(|label| !shown.iter().any(|other| label.covers(other)));
            shown.extend(free);
        }
        html! {
            @for label in shown {
                text.label x=(at(label.start)) y=(at(label.down - 6.0)) { (label.text) }
            }
        }
    }
}

/// A label with the room that it takes.
struct Label {
    start: f64,
    end: f64,
    down: f64,
    text: String,
}

impl Label {
    /// A label right of its point, left of it where there is no room.
    fn beside(across: f64, down: f64, text: &str) -> Self {
        let text = shortened(text, LABEL_LETTERS);
        let width = text.chars().count() as f64 * LETTER.0;
        let right = across + LABEL_GAP;
        let start = if right + width <= WIDTH {
            right
        } else {
            (across - LABEL_GAP - width).max(0.0)
        };
        Self {
            start,
            end: start + width,
            down,
            text,
        }
    }

    fn covers(&self, other: &Self) -> bool {
        let beside = self.end < other.start || other.end < self.start;
        !beside && (self.down - other.down).abs() < LETTER.1
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

#[cfg(test)]
mod tests {
    use super::{Label, WIDTH};

    #[test]
    fn labels_stay_on_the_chart_and_know_what_they_cover() {
        let (left, right) = (
            Label::beside(80.0, 50.0, "one"),
            Label::beside(410.0, 50.0, "two"),
        );
        assert!(left.start > 80.0 && right.end < 410.0 && right.end <= WIDTH);
        assert!(!left.covers(&right));
        assert!(left.covers(&Label::beside(90.0, 55.0, "three")));
        assert!(!left.covers(&Label::beside(90.0, 80.0, "four")));
    }
}
