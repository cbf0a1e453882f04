//! What can be set about searching and about turns.

use serde::{Deserialize, Serialize};

use crate::DigestionMethod;

/// Settings of the pipeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PipelineConfig {
    /// Candidates and their fusion.
    pub search: SearchConfig,
    /// The five layers.
    pub turn: TurnConfig,
}

/// Settings of candidate search. The helper who builds the search completes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Candidates taken from each of dense search and full text.
    pub candidates: usize,
    /// Weight of the dense score in the fusion, 0–1; full text has the rest.
    pub dense_weight: f32,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            candidates: 100,
            dense_weight: 0.5,
        }
    }
}

/// Settings of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TurnConfig {
    /// How many summaries the header shows at most.
    pub top_k: usize,
    /// The most tokens that elected text may have in all.
    pub max_injected_tokens: usize,
    /// Whether elected text is distilled before it is injected.
    pub silent_digestion: bool,
    /// Who distils.
    pub digestion: DigestionMethod,
    /// The most tokens that earlier messages may have in all.
    pub max_history_tokens: usize,
    /// What the model is told in every call before the engine's own rule; may be empty.
    pub system_prompt: String,
}

impl Default for TurnConfig {
    fn default() -> Self {
        Self {
            top_k: 5,
            max_injected_tokens: 2000,
            silent_digestion: false,
            digestion: DigestionMethod::Model,
            max_history_tokens: 2000,
            system_prompt: String::new(),
        }
    }
}
