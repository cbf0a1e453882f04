//! What it takes to get the same numbers again.

use std::collections::BTreeMap;
use std::fmt::Display;

use maud::{Markup, html};

use super::super::{Machine, Reproducibility};
use super::number::number;

/// Bytes of a gibibyte.
const GIBIBYTE: f64 = (1_u64 << 30) as f64;

pub(super) fn section(one: &Reproducibility) -> Markup {
    html! {
        section {
            h2 { "How to get the same numbers again" }
            @if !one.command.is_empty() { pre { code { (one.command) } } }
            dl {
                dt { "started" } dd { (one.started) ", took " (number(one.seconds)) " s" }
                dt { "versions" } dd { (pairs(&one.versions)) }
                dt { "models" } dd { (pairs(&one.models)) }
                dt { "seeds" } dd { (pairs(&one.seeds)) }
                dt { "machine" } dd { (machine(&one.machine)) }
            }
            @if !one.data.is_empty() {
                div.wide {
                    table {
                        thead { tr { th { "data" } th.number { "bytes" } th { "SHA-256" } } }
                        tbody {
                            @for file in &one.data {
                                tr { td { (file.file) } td.number { (file.bytes) } td { code { (file.sha256) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pairs(values: &BTreeMap<String, impl Display>) -> String {
    let shown = values.iter().map(|(name, value)| format!("{name} {value}"));
    shown.collect::<Vec<_>>().join(", ")
}

fn machine(one: &Machine) -> String {
    let memory = one
        .memory_bytes
        .map(|bytes| format!("{:.0} GiB", bytes as f64 / GIBIBYTE));
    let cores = format!("{} core(s)", one.cores);
    let parts = [
        one.system.clone(),
        one.architecture.clone(),
        one.processor.clone(),
        cores,
    ];
    let known = parts
        .into_iter()
        .chain(memory)
        .filter(|part| !part.is_empty());
    known.collect::<Vec<_>>().join(", ")
}
