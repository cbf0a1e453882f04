//! The verdict, which comes first.

use maud::{Markup, html};

use super::super::{Decision, SettingChange, Verdict};

pub(super) fn section(verdict: &Verdict) -> Markup {
    let (heading, class) = match verdict.decision {
        Decision::Proposed => ("Change the settings", "verdict proposed"),
        Decision::Unchanged => ("Keep the settings", "verdict"),
        Decision::Measured => ("Measured, nothing proposed", "verdict"),
    };
    html! {
        section class=(class) {
            h2 { (heading) }
            p { (verdict.reason) }
            @if !verdict.changes.is_empty() { (changes(&verdict.changes)) }
        }
    }
}

fn changes(changes: &[SettingChange]) -> Markup {
    html! {
        table.stack {
            thead { tr { th { "setting" } th.number { "now" } th.number { "proposed" } th { "evidence" } } }
            tbody {
                @for change in changes {
                    tr {
                        td data-label="setting" { code { (change.key) } }
                        td.number data-label="now" { (change.from) }
                        td.number.hit data-label="proposed" { (change.to) }
                        td data-label="evidence" { (change.evidence) }
                    }
                }
            }
        }
    }
}
