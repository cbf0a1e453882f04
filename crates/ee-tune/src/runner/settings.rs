//! Settings as keys with values, as the configuration file and `--set` name them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Every setting by its dotted key, for example `search.dense_weight`. Lists are values.
pub fn flat_settings(settings: &Value) -> BTreeMap<String, Value> {
    let mut flat = BTreeMap::new();
    flatten(settings, String::new(), &mut flat);
    flat
}

fn flatten(value: &Value, key: String, flat: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let dot = if key.is_empty() { "" } else { "." };
                flatten(value, format!("{key}{dot}{name}"), flat);
            }
        }
        other => {
            flat.insert(key, other.clone());
        }
    }
}

/// Whether a setting says where things lie, which changes no result.
pub(crate) fn is_place(key: &str) -> bool {
    key.starts_with("paths.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::flat_settings;

    #[test]
    fn keys_are_dotted_and_lists_stay_whole() {
        let flat = flat_settings(&json!({"a": {"b": 1, "c": {"d": [1, 2]}}, "e": null}));
        let shown: Vec<String> = flat
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        assert_eq!(shown, ["a.b=1", "a.c.d=[1,2]", "e=null"]);
    }
}
