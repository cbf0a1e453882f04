//! A difference with its interval on a line through zero.

use maud::{Markup, html};

use super::super::{ComparisonRow, Direction};

/// The picture's size, in its own units.
const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 18.0;
const MARGIN: f64 = 6.0;

/// The largest p-value that counts as evidence.
const MOST_CHANCE: f64 = 0.05;

/// What interval and p-value say about a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    Better,
    Worse,
    Unclear,
}

impl Finding {
    pub(super) fn of(row: &ComparisonRow) -> Self {
        let [low, high] = row.interval;
        let (better, worse) = match row.direction {
            Direction::Maximise => (low > 0.0, high < 0.0),
            Direction::Minimise => (high < 0.0, low > 0.0),
        };
        match (better, worse) {
            _ if row.p >= MOST_CHANCE => Self::Unclear,
            (true, _) => Self::Better,
            (_, true) => Self::Worse,
            _ => Self::Unclear,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Unclear => "no clear difference",
        }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Better => "good",
            Self::Worse => "bad",
            Self::Unclear => "plain",
        }
    }
}

/// The interval as a bar, the difference as a dot, zero in the middle; each row has its own scale.
pub(super) fn forest(row: &ComparisonRow) -> Markup {
    let [low, high] = row.interval;
    let reach = low
        .abs()
        .max(high.abs())
        .max(row.difference.abs())
        .max(1e-12);
    let place = |value: f64| WIDTH / 2.0 + value / reach * (WIDTH / 2.0 - MARGIN);
    let (class, middle) = (Finding::of(row).class(), HEIGHT / 2.0);
    html! {
        svg.forest viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(Finding::of(row).words()) {
            line.grid x1=(WIDTH / 2.0) x2=(WIDTH / 2.0) y1="0" y2=(HEIGHT) {}
            line class=(class) stroke-width="3" x1=(format!("{:.1}", place(low))) x2=(format!("{:.1}", place(high))) y1=(middle) y2=(middle) {}
            circle class=(class) cx=(format!("{:.1}", place(row.difference))) cy=(middle) r="4" {}
        }
    }
}
