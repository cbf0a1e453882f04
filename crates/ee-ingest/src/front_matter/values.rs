//! Values of fields, read from YAML; what has the wrong shape is refused with the field's name.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use km_core::{Attributes, Timestamp};
use yaml_rust2::Yaml;

use crate::SkipReason;

/// A text, number or truth value as text.
pub(super) fn scalar(value: &Yaml) -> Option<String> {
    match value {
        Yaml::String(text) | Yaml::Real(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        Yaml::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

pub(super) fn text(name: &str, value: &Yaml) -> Result<String, SkipReason> {
    scalar(value).ok_or_else(|| expected(name, "a text", "a list or a table"))
}

/// A text, or a list of texts.
pub(super) fn texts(name: &str, value: &Yaml) -> Result<Vec<String>, SkipReason> {
    match value {
        Yaml::Array(values) => values.iter().map(|value| text(name, value)).collect(),
        _ => Ok(vec![text(name, value)?]),
    }
}

pub(super) fn number(name: &str, value: &Yaml) -> Result<u32, SkipReason> {
    let found = text(name, value)?;
    found
        .parse()
        .map_err(|_| expected(name, "a whole number from 0 on", &found))
}

/// Names, each with a text or a list of texts.
pub(super) fn attributes(field: &str, value: &Yaml) -> Result<Attributes, SkipReason> {
    let shape = "`name: value` or `name: [values]` lines";
    let entries = entries(field, shape, value)?.into_iter();
    let read = |(name, values): (String, &Yaml)| {
        let values = match values {
            Yaml::Null => Vec::new(),
            values => texts(&format!("{field}.{name}"), values)?,
        };
        Ok((name, values.into_iter().collect()))
    };
    entries.map(read).collect()
}

/// Tiers, each with the place of its rule.
pub(super) fn places(field: &str, value: &Yaml) -> Result<BTreeMap<String, String>, SkipReason> {
    let shape = "`tier: source#anchor` lines";
    let entries = entries(field, shape, value)?.into_iter();
    let read = |(tier, place): (String, &Yaml)| {
        let place = scalar(place).filter(|place| !matches!(place.trim(), "" | "#"));
        match place {
            Some(place) => Ok((tier, place)),
            None => Err(expected(
                &format!("{field}.{tier}"),
                "a source, a `#anchor` or both, in quotes since `#` begins a comment",
                "nothing, or a list or a table",
            )),
        }
    };
    entries.map(read).collect()
}

/// The lines of a table in the order in which they stand.
fn entries<'a>(
    field: &str,
    shape: &str,
    value: &'a Yaml,
) -> Result<Vec<(String, &'a Yaml)>, SkipReason> {
    let Yaml::Hash(entries) = value else {
        return Err(expected(field, shape, "something else"));
    };
    entries
        .iter()
        .map(|(name, value)| Ok((text(field, name)?, value)))
        .collect()
}

/// A time with its offset, or a date, which starts at midnight UTC.
pub(super) fn moment(name: &str, value: &Yaml) -> Result<Timestamp, SkipReason> {
    let found = text(name, value)?;
    let whole = found.parse::<Timestamp>().ok();
    let date = || {
        let date: jiff::civil::Date = found.parse().ok()?;
        let midnight = TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
        (found.len() == "2024-01-31".len()).then_some(midnight)
    };
    whole.or_else(date).ok_or_else(|| {
        expected(
            name,
            "a date such as 2024-01-31 or a time such as 2024-01-31T09:00:00Z",
            &found,
        )
    })
}

pub(super) fn field_error<E: std::fmt::Display>(name: &str) -> impl Fn(E) -> SkipReason {
    move |error| malformed(format!("field `{name}`: {error}"))
}

pub(super) fn expected(name: &str, expected: &str, found: &str) -> SkipReason {
    malformed(format!("field `{name}` must be {expected}, got `{found}`"))
}

pub(super) fn malformed(message: impl Into<String>) -> SkipReason {
    SkipReason::Malformed {
        format: "front matter".to_owned(),
        message: message.into(),
    }
}
