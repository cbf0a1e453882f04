//! The report as one page that needs nothing else: no script, no font, no picture from elsewhere.

mod axis;
mod chart;
mod comparisons;
mod forest;
mod number;
mod objectives;
mod reproducibility;
mod sensitivity;
mod trials;
mod verdict;
mod worst;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::TuningReport;

const STYLE: &str = include_str!("style.css");

/// The page. Every text of the report is escaped.
pub(super) fn page(report: &TuningReport) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    header { h1 { (report.title) } }
                    (verdict::section(&report.verdict))
                    (comparisons::section(&report.comparisons))
                    (objectives::section(report))
                    (sensitivity::section(report))
                    (worst::section(&report.worst_questions))
                    (trials::section(report))
                    (reproducibility::section(&report.reproducibility))
                }
            }
        }
    }
}
