//! What differs between runs, as parameters of trials.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::runner::is_place;
use crate::{ParameterValue, RunRows, flat_settings};

/// The system under test: its name repeats the settings that make it.
const SYSTEM: &str = "system";

/// The settings that are not the same in all runs, for each run, by key; the embedder
/// where it differs, and the system unless the others tell it.
pub(super) fn varied(runs: &[RunRows]) -> Vec<BTreeMap<String, ParameterValue>> {
    let all: Vec<BTreeMap<String, Value>> = runs.iter().map(settings).collect();
    let keys: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let differs = |key: &str| {
        let mut values = all.iter().map(|settings| settings.get(key));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let mut varied: Vec<&String> = keys.into_iter().filter(|key| differs(key)).collect();
    if repeats(&all, &varied) {
        varied.retain(|key| *key != SYSTEM);
    }
    all.iter()
        .map(|settings| {
            let value = |key: &&String| ((*key).clone(), parameter(settings.get(*key)));
            varied.iter().map(value).collect()
        })
        .collect()
}

/// Whether the other settings that differ tell which system it is.
fn repeats(all: &[BTreeMap<String, Value>], varied: &[&String]) -> bool {
    let mut systems: BTreeMap<String, Option<&Value>> = BTreeMap::new();
    all.iter().all(|settings| {
        let others = varied.iter().filter(|key| **key != SYSTEM);
        let others: Vec<Option<&Value>> = others.map(|key| settings.get(*key)).collect();
        let system = settings.get(SYSTEM);
        *systems.entry(format!("{others:?}")).or_insert(system) == system
    })
}

fn settings(run: &RunRows) -> BTreeMap<String, Value> {
    let mut settings = flat_settings(&run.header.settings);
    settings.retain(|key, _| !is_place(key));
    let header = &run.header;
    settings.insert(SYSTEM.to_owned(), Value::from(header.system.as_str()));
    settings.insert("embedder".to_owned(), Value::from(header.model.as_str()));
    settings
}

fn parameter(value: Option<&Value>) -> ParameterValue {
    match value {
        None | Some(Value::Null) => ParameterValue::Text("not set".to_owned()),
        Some(Value::Bool(flag)) => ParameterValue::Flag(*flag),
        Some(Value::String(text)) => ParameterValue::Text(text.clone()),
        Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => ParameterValue::Integer(whole),
            (None, Some(number)) => ParameterValue::Number(shortest(number)),
            (None, None) => ParameterValue::Text(number.to_string()),
        },
        Some(other) => ParameterValue::Text(other.to_string()),
    }
}

/// The number as its `f32` neighbour is written, where it is one: 0.7 and not 0.699999988.
fn shortest(number: f64) -> f64 {
    let single = number as f32;
    if (f64::from(single) - number).abs() > 0.0 {
        return number;
    }
    single.to_string().parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::varied;
    use crate::{ParameterValue, RowHeader, RunRows, Setup};

    fn run(system: &str, settings: Value) -> RunRows {
        let setup = Setup {
            system: system.to_owned(),
            seed: 1,
            settings,
            model: "m".to_owned(),
        };
        RunRows::new(RowHeader::new("qa", "d", Vec::new(), &setup), Vec::new())
    }

    fn keys(runs: &[RunRows]) -> Vec<String> {
        varied(runs)[0].keys().cloned().collect()
    }

    #[test]
    fn only_settings_that_differ_are_parameters() {
        let model = |name: &str, t: Value| {
            run(
                name,
                json!({"openai": {"model": name, "temperature": t}, "paths": {"database": name}}),
            )
        };
        let runs = [model("a", Value::Null), model("b", json!(0.7_f32))];
        assert_eq!(keys(&runs), ["openai.model", "openai.temperature"]);
        let parameters = varied(&runs);
        assert_eq!(
            parameters[0]["openai.temperature"],
            ParameterValue::Text("not set".into())
        );
        assert_eq!(
            parameters[1]["openai.temperature"],
            ParameterValue::Number(0.7)
        );
    }

    #[test]
    fn the_system_is_a_parameter_where_nothing_else_tells_it() {
        let runs = [
            run("bm25", json!({"w": 1})),
            run("hybrid", json!({"w": 1})),
            run("hybrid", json!({"w": 2})),
        ];
        assert_eq!(keys(&runs), ["system", "w"]);
        assert_eq!(keys(&runs[..2]), ["system"]);
    }
}
