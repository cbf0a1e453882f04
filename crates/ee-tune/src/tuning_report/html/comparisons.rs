//! Systems against a baseline.

use maud::{Markup, html};

use super::super::ComparisonRow;
use super::forest::{Finding, forest};
use super::number::{number, p_value, signed};

pub(super) fn section(rows: &[ComparisonRow]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Comparison" }
                p.muted {
                    "Paired over the same questions: the mean difference with its 95% bootstrap \
                     interval, and the p-value of a two-sided randomisation test. Dots right of the \
                     line are higher than the baseline; the words say whether that is better, where the \
                     interval lies beyond 0 and p is below 0.05."
                }
                @for group in groups(rows) { (table(group)) }
            }
        }
    }
}

/// Neighbouring rows of one pair on the same data.
fn groups(rows: &[ComparisonRow]) -> impl Iterator<Item = &[ComparisonRow]> {
    rows.chunk_by(|a, b| (&a.data, &a.system, &a.baseline) == (&b.data, &b.system, &b.baseline))
}

fn table(rows: &[ComparisonRow]) -> Markup {
    let Some(first) = rows.first() else {
        return Markup::default();
    };
    html! {
        h3 { (first.data) ": " (first.system) " against " (first.baseline) }
        table.stack {
            thead {
                tr {
                    th { "metric" } th.number { "baseline" } th.number { "system" }
                    th.number { "difference" } th.number { "95% interval" } th { "" }
                    th.number { "p" } th.number { "questions" } th { "reading" }
                }
            }
            tbody { @for row in rows { (line(row)) } }
        }
    }
}

fn line(row: &ComparisonRow) -> Markup {
    let ([low, high], finding) = (row.interval, Finding::of(row));
    html! {
        tr {
            td data-label="metric" { (row.metric) }
            td.number data-label="baseline" { (number(row.baseline_value)) }
            td.number data-label="system" { (number(row.value)) }
            td.number data-label="difference" { (signed(row.difference)) }
            td.number data-label="95% interval" { (signed(low)) " to " (signed(high)) }
            td data-label="" { (forest(row)) }
            td.number data-label="p" { (p_value(row.p)) }
            td.number data-label="questions" { (row.questions) }
            td class=(finding.class()) data-label="reading" { (finding.words()) }
        }
    }
}
