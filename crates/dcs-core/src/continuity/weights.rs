//! The weights of the learned scorer: data, with their origin.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::DcsError;
use crate::assemble::RELEVANCE;
use crate::continuity::features::FEATURES;

/// Weights of the learned scorer, by name of the evidence. Evidence without a weight counts 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContinuityWeights {
    /// Which data they were learned from, and how.
    pub provenance: String,
    /// For a message on its own.
    pub message: StageWeights,
    /// For a question looked at again together with its answer; without them no answer calls for
    /// a second look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<StageWeights>,
    /// For selecting an earlier message for a query; without them keys decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionWeights>,
}

/// Weights of the evidence that an earlier message bears on a query, as log odds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SelectionWeights {
    /// Weight per evidence.
    pub weights: BTreeMap<String, f64>,
}

/// Weights of one look.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StageWeights {
    /// Added to the score of a new line of work (natural logarithm of odds).
    pub new_line_bias: f64,
    /// Weight per evidence.
    pub weights: BTreeMap<String, f64>,
}

/// Weights for one kind of conversation: for messages with an embedding and for those without.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightSet {
    /// For embedded messages.
    pub embedded: ContinuityWeights,
    /// For messages without an embedding.
    pub words: ContinuityWeights,
}

impl WeightSet {
    /// The weights for conversations with an assistant.
    ///
    /// # Errors
    /// [`DcsError::PatternFile`]; the tests read the built-in files.
    pub fn assistant() -> Result<Self, DcsError> {
        Ok(Self {
            embedded: ContinuityWeights::parse(include_str!(
                "../../weights/assistant_embedding.toml"
            ))?,
            words: ContinuityWeights::parse(include_str!("../../weights/assistant_words.toml"))?,
        })
    }

    /// The weights for chat rooms: who speaks to whom tells more there than closeness does, so
    /// embeddings play no part.
    ///
    /// # Errors
    /// [`DcsError::PatternFile`]; the tests read the built-in files.
    pub fn chat_room() -> Result<Self, DcsError> {
        ContinuityWeights::parse(include_str!("../../weights/chat_room.toml")).map(Self::from)
    }
}

impl From<ContinuityWeights> for WeightSet {
    /// The same weights with embeddings and without.
    fn from(weights: ContinuityWeights) -> Self {
        Self {
            embedded: weights.clone(),
            words: weights,
        }
    }
}

impl ContinuityWeights {
    /// Reads weights in TOML.
    ///
    /// # Errors
    /// [`DcsError::PatternFile`] with the parser's reason; [`DcsError::Setting`] for a name that
    /// is no evidence, or a weight that is not finite.
    pub fn parse(toml: &str) -> Result<Self, DcsError> {
        let weights: Self = toml::from_str(toml).map_err(|error| DcsError::PatternFile {
            language: "weights".to_owned(),
            reason: error.to_string(),
        })?;
        let stages = std::iter::once(&weights.message).chain(&weights.exchange);
        for stage in stages {
            validate(&stage.weights, &FEATURES)?;
        }
        if let Some(selection) = &weights.selection {
            validate(&selection.weights, &RELEVANCE)?;
        }
        Ok(weights)
    }
}

impl StageWeights {
    /// The weight of each of the evidence called `names`.
    pub(crate) fn dense<const N: usize>(&self, names: &[&str; N]) -> [f64; N] {
        dense(&self.weights, names)
    }
}

impl SelectionWeights {
    /// One weight per evidence of a selection.
    pub(crate) fn dense(&self) -> [f64; RELEVANCE.len()] {
        dense(&self.weights, &RELEVANCE)
    }
}

fn dense<const N: usize>(weights: &BTreeMap<String, f64>, names: &[&str; N]) -> [f64; N] {
    names.map(|name| weights.get(name).copied().unwrap_or(0.0))
}

fn validate(weights: &BTreeMap<String, f64>, names: &[&str]) -> Result<(), DcsError> {
    for (name, weight) in weights {
        if !names.contains(&name.as_str()) || !weight.is_finite() {
            return Err(DcsError::Setting {
                setting: "continuity weight",
                expected: "the name of an evidence with a finite weight",
                found: format!("{name} = {weight}"),
            });
        }
    }
    Ok(())
}
