//! What is wrong with the settings, in the words of who sets them: which one, and where it is set.

use anyhow::anyhow;
use dcs_core::DcsError;
use ee_embed::EmbedError;
use ee_index::IndexError;
use ee_ingest::IngestError;
use ee_pipeline::{ChatError, PipelineError};
use ee_store::StoreError;
use figment::Figment;
use figment::error::Kind;
use figment::value::{Tag, Value};

use crate::layers::place;

/// How alike two names must be for one to be suggested for the other, from 0 to 1.
const ALIKE: f64 = 0.85;

/// What does not fit the shape of the settings.
pub(crate) fn misshapen(error: figment::Error) -> anyhow::Error {
    let said: Vec<String> = error.into_iter().map(|one| sentence(&one)).collect();
    anyhow!(said.join("; "))
}

fn sentence(error: &figment::Error) -> String {
    let key = error.path.join(".");
    let place = error.metadata.as_ref().and_then(|layer| place(layer, &key));
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    match &error.kind {
        Kind::UnknownField(_, known) => {
            format!("there is no setting `{key}`{place}{}", advice(error, known))
        }
        Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
            let expected = plainly(expected);
            format!("setting `{key}` must be {expected}, got {found}{place}")
        }
        kind if key.is_empty() => format!("the settings cannot be read{place}: {kind}"),
        kind => format!("setting `{key}`: {kind}{place}"),
    }
}

/// The known name that an unknown one resembles, or all of them.
fn advice(error: &figment::Error, known: &[&str]) -> String {
    let Some((unknown, section)) = error.path.split_last() else {
        return String::new();
    };
    let likeness = |name: &str| strsim::jaro_winkler(name, unknown);
    let closest = known
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match closest.filter(|name| likeness(name) >= ALIKE) {
        Some(name) => {
            let path: Vec<&str> = section.iter().map(String::as_str).chain([*name]).collect();
            format!("; did you mean `{}`?", path.join("."))
        }
        None => format!("; known here: {}", known.join(", ")),
    }
}

/// What serde calls a type, as a person calls it.
fn plainly(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "text",
        other if other.starts_with("struct ") => "a section of settings",
        other => other,
    }
}

/// Says of a setting out of range where it was set.
pub(crate) fn out_of_range(error: anyhow::Error, section: &str, layers: &Figment) -> anyhow::Error {
    let Some(setting) = setting_of(&error) else {
        return error;
    };
    let found = layers.find_value(section).ok();
    let settings = found.map_or_else(Vec::new, |value| leaves(section, &value));
    let given = settings.into_iter().find_map(|(key, tag)| {
        let place = place(layers.get_metadata(tag)?, &key)?;
        concerns(&key, setting).then_some((key, place))
    });
    let Some((key, place)) = given else {
        return error;
    };
    let said = if key == setting {
        format!("{error} ({place})")
    } else {
        format!("{error} ({key}: {place})")
    };
    error.context(said)
}

/// Whether a whole key is the setting that a library names, which need not know its section.
fn concerns(key: &str, setting: &str) -> bool {
    format!(".{key}.").contains(&format!(".{setting}."))
}

/// Every setting below a value, with the layer that it comes from.
fn leaves(key: &str, value: &Value) -> Vec<(String, Tag)> {
    match value {
        Value::Dict(_, section) => {
            let inner = section.iter();
            inner
                .flat_map(|(name, value)| leaves(&format!("{key}.{name}"), value))
                .collect()
        }
        value => vec![(key.to_owned(), value.tag())],
    }
}

/// The setting that an error of a library names.
fn setting_of(error: &anyhow::Error) -> Option<&'static str> {
    if let Some(EmbedError::Setting { setting, .. }) = error.downcast_ref() {
        return Some(*setting);
    }
    if let Some(IndexError::Setting { setting, .. }) = error.downcast_ref() {
        return Some(*setting);
    }
    if let Some(StoreError::Setting { setting, .. }) = error.downcast_ref() {
        return Some(*setting);
    }
    if let Some(IngestError::Setting { setting, .. }) = error.downcast_ref() {
        return Some(*setting);
    }
    if let Some(ChatError::Setting { setting, .. }) = error.downcast_ref() {
        return Some(*setting);
    }
    match error.downcast_ref::<PipelineError>()? {
        PipelineError::Setting { setting, .. }
        | PipelineError::Conversation(DcsError::Setting { setting, .. }) => Some(*setting),
        _ => None,
    }
}
