//! Reading declarations from the schema of the settings.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::{Declaration, Domain, Parameter, SpaceError, TunableSettings};

/// The word under which a field's schema declares how it is tuned.
const TUNE: &str = "tune";

/// Every declared parameter, by key.
pub(super) fn declared() -> Result<BTreeMap<String, Parameter>, SpaceError> {
    let generator = SchemaSettings::default().with(|s| s.inline_subschemas = true);
    let schema = generator
        .into_generator()
        .into_root_schema_for::<TunableSettings>();
    let defaults = serde_json::to_value(TunableSettings::default())?;
    let mut found = BTreeMap::new();
    collect("", &Value::from(schema), &defaults, &mut found)?;
    Ok(found)
}

fn collect(
    prefix: &str,
    schema: &Value,
    defaults: &Value,
    found: &mut BTreeMap<String, Parameter>,
) -> Result<(), SpaceError> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, field) in properties.into_iter().flat_map(Map::iter) {
        let key = format!("{prefix}{name}");
        let default = defaults.get(name).cloned().unwrap_or_default();
        if let Some(text) = field.get(TUNE).and_then(Value::as_str) {
            let domain = domain(text.parse()?, field);
            let description = description(field);
            found.insert(
                key.clone(),
                Parameter {
                    key,
                    description,
                    default,
                    domain,
                },
            );
        } else {
            collect(&format!("{key}."), field, &default, found)?;
        }
    }
    Ok(())
}

fn domain(declaration: Declaration, field: &Value) -> Domain {
    match declaration {
        Declaration::Range {
            from,
            to,
            unit,
            scale,
        } => {
            let whole = is_whole(field);
            Domain::Range {
                from,
                to,
                unit,
                scale,
                whole,
            }
        }
        Declaration::Choice { names } if names.is_empty() => Domain::Choice(listed(field)),
        Declaration::Choice { names } => {
            Domain::Choice(names.into_iter().map(Value::from).collect())
        }
    }
}

fn is_whole(field: &Value) -> bool {
    field.get("type").and_then(Value::as_str) == Some("integer")
}

/// The values that the schema itself lists.
fn listed(field: &Value) -> Vec<Value> {
    let list = |name: &str| {
        field
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let constants = list("oneOf").filter_map(|one| one.get("const"));
    list("enum").chain(constants).cloned().collect()
}

/// The first sentence of a field's documentation.
fn description(field: &Value) -> String {
    let text = field
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split(". ")
        .next()
        .unwrap_or_default()
        .trim_end_matches('.')
        .to_owned()
}
