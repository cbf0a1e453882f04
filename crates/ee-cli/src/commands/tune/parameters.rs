//! The settings that can be tuned.

use anyhow::Result;
use ee_tune::{Domain, Parameter, Scale, SearchSpace};
use serde_json::{Value, json};

use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Lists every declared parameter.
pub(super) fn run(bench: &Workbench) -> Result<Ending> {
    let space = SearchSpace::declared()?;
    if bench.json() {
        let rows: Vec<Value> = space.parameters().iter().map(row).collect();
        print_json(&rows)?;
        return Ok(Ending::Done);
    }
    for parameter in space.parameters() {
        let (key, default) = (&parameter.key, &parameter.default);
        print_line(format!(
            "{key:<46} {default:<14} {}",
            domain(&parameter.domain)
        ))?;
    }
    Ok(Ending::Done)
}

fn row(parameter: &Parameter) -> Value {
    json!({
        "key": parameter.key,
        "default": parameter.default,
        "values": domain(&parameter.domain),
        "description": parameter.description,
    })
}

fn domain(domain: &Domain) -> String {
    match domain {
        Domain::Range {
            from,
            to,
            unit,
            scale,
            ..
        } => {
            let scale = match scale {
                Scale::Linear => "linear",
                Scale::Logarithmic => "logarithmic",
            };
            format!("{from} to {to} {unit}, {scale}")
        }
        Domain::Choice(values) => {
            let names = values
                .iter()
                .map(|value| value.as_str().unwrap_or_default());
            format!("one of {}", names.collect::<Vec<_>>().join(", "))
        }
    }
}
