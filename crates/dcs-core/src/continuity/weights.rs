//! The weights of the learned scorer: data, with their origin.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::DcsError;
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
    /// For a question looked at again together with its answer.
    pub exchange: StageWeights,
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

impl ContinuityWeights {
    /// The weights for conversations with an assistant, with embeddings.
    ///
    /// # Errors
    /// [`DcsError::PatternFile`]; the tests read the built-in files.
    pub fn assistant_with_embeddings() -> Result<Self, DcsError> {
        Self::parse(include_str!("../../weights/assistant_embedding.toml"))
    }

    /// The weights for conversations with an assistant, without embeddings.
    ///
    /// # Errors
    /// [`DcsError::PatternFile`]; the tests read the built-in files.
    pub fn assistant_without_embeddings() -> Result<Self, DcsError> {
        Self::parse(include_str!("../../weights/assistant_words.toml"))
    }

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
        weights.message.validate()?;
        weights.exchange.validate()?;
        Ok(weights)
    }
}

impl StageWeights {
    /// One weight per column of the evidence.
    pub(crate) fn dense(&self) -> Vec<f64> {
        let weight = |name: &&str| self.weights.get(*name).copied().unwrap_or(0.0);
        FEATURES.iter().map(weight).collect()
    }

    fn validate(&self) -> Result<(), DcsError> {
        for (name, weight) in &self.weights {
            let known = FEATURES.contains(&name.as_str());
            if !known || !weight.is_finite() {
                return Err(DcsError::Setting {
                    setting: "continuity weight",
                    expected: "the name of an evidence with a finite weight",
                    found: format!("{name} = {weight}"),
                });
            }
        }
        Ok(())
    }
}
