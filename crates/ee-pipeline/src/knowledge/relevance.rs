//! How likely a unit is to answer the question: a logistic model over what search knows.

use serde::{Deserialize, Serialize};

/// Weights of the relevance estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RelevanceConfig {
    /// The constant term.
    pub intercept: f32,
    /// Weight of the cosine.
    pub cosine: f32,
}

impl Default for RelevanceConfig {
    fn default() -> Self {
        Self {
            intercept: -6.0,
            cosine: 12.0,
        }
    }
}

impl RelevanceConfig {
    /// Checks that every weight is a number.
    pub(crate) fn validate(&self) -> Result<(), crate::PipelineError> {
        let found = self.intercept + self.cosine;
        if found.is_finite() {
            return Ok(());
        }
        Err(crate::PipelineError::Setting {
            setting: "search.relevance",
            expected: "finite numbers",
            found: found.to_string(),
        })
    }

    /// The estimated probability, 0–1.
    pub(super) fn estimate(&self, cosine: Option<f32>) -> f32 {
        cosine.map_or(0.0, |cosine| {
            logistic(self.intercept + self.cosine * cosine)
        })
    }
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
