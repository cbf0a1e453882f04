//! The sections of a configuration file that hold what can be tuned.

use ee_embed::EmbedConfig;
use ee_index::IndexConfig;
use ee_ingest::IngestConfig;
use ee_pipeline::{
    ExtractiveConfig, MemoryConfig, OpenAiConfig, PreciseConfig, SearchConfig, TurnConfig,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TuneError;

/// The settings that trials vary, laid out as in a configuration file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TunableSettings {
    /// Models, threads and the cache of embeddings.
    pub embed: EmbedConfig,
    /// The vector index.
    pub index: IndexConfig,
    /// Files to units.
    pub ingest: IngestConfig,
    /// Candidates and their fusion.
    pub search: SearchConfig,
    /// The precision pipeline.
    pub precise: PreciseConfig,
    /// The five layers.
    pub turn: TurnConfig,
    /// The search among a conversation's own turns.
    pub memory: MemoryConfig,
    /// The session that needs no model.
    pub extractive: ExtractiveConfig,
    /// OpenAI-compatible servers.
    pub openai: OpenAiConfig,
}

impl TunableSettings {
    /// Checks every section, as the program does when it starts.
    ///
    /// # Errors
    /// [`TuneError`] for the first setting out of range.
    pub fn validate(&self) -> Result<(), TuneError> {
        self.search.validate()?;
        self.precise.validate()?;
        self.turn.validate()?;
        Ok(self.memory.validate()?)
    }
}
