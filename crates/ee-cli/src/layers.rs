//! The layers of the settings above the configuration files, and what each is called in messages.

use anyhow::{Result, bail};
use figment::providers::{Data, Env, Format, Toml};
use figment::value::{Dict, Map};
use figment::{Metadata, Profile, Provider, Source};

const ENVIRONMENT: &str = "environment";
const ASSIGNMENT: &str = "--set";

/// A layer with a name of our own.
pub(crate) struct Layer<P> {
    name: &'static str,
    /// What was typed, where something was.
    typed: String,
    provider: P,
}

impl<P: Provider> Provider for Layer<P> {
    fn metadata(&self) -> Metadata {
        Metadata::from(self.name, self.typed.clone())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        self.provider.data()
    }
}

/// Variables such as `EERAG__SEARCH__DENSE_WEIGHT`.
pub(crate) fn environment() -> Layer<Env> {
    Layer {
        name: ENVIRONMENT,
        typed: String::new(),
        provider: Env::prefixed("EERAG__").split("__"),
    }
}

/// `search.dense_weight=0.6` as a layer. The value is TOML; what is not TOML is taken as text.
pub(crate) fn assignment(typed: &str) -> Result<Layer<Data<Toml>>> {
    let Some((key, value)) = typed.split_once('=') else {
        bail!("expected KEY=VALUE such as search.dense_weight=0.6, got {typed:?}");
    };
    let (key, value) = (key.trim(), value.trim());
    let line = format!("{key} = {value}");
    let text = if toml::from_str::<toml::Table>(&line).is_ok() {
        line
    } else {
        format!("{key} = {}", toml::Value::String(value.to_owned()))
    };
    if let Err(error) = toml::from_str::<toml::Table>(&text) {
        bail!("cannot read the setting {typed:?}: {error}");
    }
    Ok(Layer {
        name: ASSIGNMENT,
        typed: typed.to_owned(),
        provider: Toml::string(&text),
    })
}

/// Where a person finds a setting: the flag, the variable or the file. `None` for a default.
pub(crate) fn place(layer: &Metadata, key: &str) -> Option<String> {
    match (layer.name.as_ref(), &layer.source) {
        (ASSIGNMENT, Some(typed)) => Some(format!("{ASSIGNMENT} {typed}")),
        (ENVIRONMENT, _) if key.is_empty() => Some("the environment".to_owned()),
        (ENVIRONMENT, _) => Some(format!("EERAG__{}", key.replace('.', "__").to_uppercase())),
        (_, Some(file @ Source::File(_))) => Some(file.to_string()),
        _ => None,
    }
}
