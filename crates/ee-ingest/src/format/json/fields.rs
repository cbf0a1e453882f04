//! Fields and the text in their values.

use serde_json::{Map, Value};

/// The value of the first of the names that has one.
pub(super) fn first<'a>(
    fields: &'a Map<String, Value>,
    names: &[&'static str],
) -> Option<(&'static str, &'a Value)> {
    let mut found = names
        .iter()
        .filter_map(|name| Some((*name, fields.get(*name)?)));
    found.find(|(_, value)| !value.is_null())
}

/// The text in a value: strings as they are, lists joined, text parts of chat messages.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(text_of).collect();
            texts.join("\n")
        }
        Value::Object(fields) => match fields.get("text") {
            Some(Value::String(text)) if fields.contains_key("type") => text.clone(),
            _ => {
                let fields = fields.iter();
                let lines: Vec<String> = fields
                    .map(|(name, value)| format!("{name}: {}", text_of(value)))
                    .collect();
                lines.join("\n")
            }
        },
        other => other.to_string(),
    }
}

/// Whether a value says something to a reader: words, or fields with such; ids, numbers, names
/// and links do not.
pub(super) fn is_prose(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let words = text.split_whitespace().count();
            let unspaced = text.chars().any(crate::patterns::is_unspaced);
            text.contains(char::is_alphabetic) && (words > 1 || unspaced)
        }
        Value::Array(values) => values.iter().any(is_prose),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

/// Whether a value holds nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
