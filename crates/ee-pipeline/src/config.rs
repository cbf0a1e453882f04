//! What can be set about searching and about turns.

use dcs_core::ConversationConfig;
use ee_index::IndexConfig;
use serde::{Deserialize, Serialize};

use crate::{
    DigestionMethod, Fusion, FusionMethod, MemoryConfig, PipelineError, PreciseConfig,
    RelevanceConfig, SearchSystem,
};

/// Settings of the pipeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PipelineConfig {
    /// Candidates and their fusion.
    pub search: SearchConfig,
    /// The five layers.
    pub turn: TurnConfig,
}

/// Settings of candidate search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Candidates taken from each of dense search and full text.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "20..400 units logarithmic")))]
    pub candidates: usize,
    /// How cosine and BM25 become one score.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "choice")))]
    pub fusion: FusionMethod,
    /// Weight of the dense score in the fusion, 0–1; full text has the rest.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 share linear")))]
    pub dense_weight: f64,
    /// The constant of reciprocal rank, above 0: larger flattens the difference between ranks.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..200 ranks logarithmic")))]
    pub rank_constant: f64,
    /// The most that a boost adds to a fused score, 0–1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..0.5 score linear")))]
    pub max_boost: f64,
    /// The estimate of how likely a unit answers the question.
    pub relevance: RelevanceConfig,
    /// The vector index, which has a section of its own in configuration files.
    #[serde(skip)]
    pub index: IndexConfig,
    /// The precision pipeline, which has a section of its own in configuration files.
    #[serde(skip)]
    pub precise: PreciseConfig,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            candidates: 100,
            fusion: FusionMethod::MinMax,
            dense_weight: 0.7,
            rank_constant: 60.0,
            max_boost: 0.15,
            relevance: RelevanceConfig::default(),
            index: IndexConfig::default(),
            precise: PreciseConfig::default(),
        }
    }
}

impl SearchConfig {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`PipelineError::Setting`] for the first that is out of range.
    pub fn validate(&self) -> Result<(), PipelineError> {
        let share = |setting, value: f64| {
            in_range((0.0..=1.0).contains(&value), setting, "from 0 to 1", value)
        };
        in_range(
            self.candidates > 0,
            "search.candidates",
            "at least 1",
            self.candidates,
        )?;
        share("search.dense_weight", self.dense_weight)?;
        share("search.max_boost", self.max_boost)?;
        let constant = self.rank_constant;
        in_range(constant > 0.0, "search.rank_constant", "above 0", constant)?;
        self.index.validate()?;
        self.precise.validate()?;
        self.relevance.validate()
    }

    /// The fusion that these settings describe.
    pub fn fusion(&self) -> Fusion {
        Fusion {
            method: self.fusion,
            dense_weight: self.dense_weight as f32,
            rank_constant: self.rank_constant as f32,
        }
    }
}

fn in_range(
    holds: bool,
    setting: &'static str,
    expected: &'static str,
    found: impl std::fmt::Display + Copy,
) -> Result<(), PipelineError> {
    if holds {
        return Ok(());
    }
    Err(PipelineError::Setting {
        setting,
        expected,
        found: found.to_string(),
    })
}

/// Settings of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TurnConfig {
    /// Which ranking the candidates come from.
    pub system: SearchSystem,
    /// How many summaries the header shows at most.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..20 units logarithmic")))]
    pub top_k: usize,
    /// The most tokens that elected text may have in all.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "200..4000 tokens logarithmic")))]
    pub max_injected_tokens: usize,
    /// Whether elected text is distilled before it is injected.
    pub silent_digestion: bool,
    /// Who distils.
    pub digestion: DigestionMethod,
    /// How relevant a candidate must be to be shown, as a share of the best one's relevance, 0–1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 share linear")))]
    pub header_share: f32,
    /// The most tokens that earlier messages may have in all.
    pub max_history_tokens: usize,
    /// How many earlier messages a prompt carries at most.
    pub max_history_messages: usize,
    /// How earlier messages are selected.
    pub context: ConversationConfig,
    /// What the model is told in every call before the engine's own rule; may be empty.
    pub system_prompt: String,
    /// The search among a conversation's own turns, which has a section of its own in
    /// configuration files.
    #[serde(skip)]
    pub memory: MemoryConfig,
}

impl Default for TurnConfig {
    fn default() -> Self {
        Self {
            system: SearchSystem::Hybrid,
            top_k: 5,
            max_injected_tokens: 2000,
            silent_digestion: false,
            digestion: DigestionMethod::Model,
            header_share: 0.1,
            max_history_tokens: 2000,
            max_history_messages: 50,
            context: ConversationConfig::default(),
            system_prompt: String::new(),
            memory: MemoryConfig::default(),
        }
    }
}

impl TurnConfig {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`PipelineError::Setting`] for the first that is out of range, or
    /// [`PipelineError::Conversation`] for one of the selection of earlier messages.
    pub fn validate(&self) -> Result<(), PipelineError> {
        in_range(self.top_k > 0, "turn.top_k", "at least 1", self.top_k)?;
        let share = self.header_share;
        in_range(
            (0.0..=1.0).contains(&share),
            "turn.header_share",
            "from 0 to 1",
            share,
        )?;
        let tokens = self.max_injected_tokens;
        in_range(tokens > 0, "turn.max_injected_tokens", "at least 1", tokens)?;
        self.memory.validate()?;
        Ok(self.context.validate()?)
    }
}
