//! What differs between runs, as parameters of trials.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::runner::is_place;
use crate::{ParameterValue, RunRows, flat_settings};

/// The settings that are not the same in all runs, for each run, by key; and the system and the
/// embedder where these differ.
pub(super) fn varied(runs: &[RunRows]) -> Vec<BTreeMap<String, ParameterValue>> {
    let all: Vec<BTreeMap<String, Value>> = runs.iter().map(settings).collect();
    let keys: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let differs = |key: &str| {
        let mut values = all.iter().map(|settings| settings.get(key));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let varied: Vec<&String> = keys.into_iter().filter(|key| differs(key)).collect();
    all.iter()
        .map(|settings| {
            let value = |key: &&String| ((*key).clone(), parameter(settings.get(*key)));
            varied.iter().map(value).collect()
        })
        .collect()
}

fn settings(run: &RunRows) -> BTreeMap<String, Value> {
    let mut settings = flat_settings(&run.header.settings);
    settings.retain(|key, _| !is_place(key));
    let header = &run.header;
    settings.insert("system".to_owned(), Value::from(header.system.as_str()));
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
