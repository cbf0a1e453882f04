//! What can be set about embedding.

use serde::{Deserialize, Serialize};

use crate::EmbedError;

/// Settings of the embedder, the cross-encoder and the cache of embeddings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EmbedConfig {
    /// The embedder, by its name in the registry.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "choice all-MiniLM-L6-v2|all-MiniLM-L6-v2-int8|bge-small-en-v1.5")))]
    pub model: String,
    /// The cross-encoder, by its name in the registry; empty for none.
    pub reranker: String,
    /// Sessions that work side by side, one thread each; 0 takes one per granted core.
    pub sessions: usize,
    /// Texts per run in bulk, 1–64; small batches of equal length are fastest.
    pub batch_texts: usize,
    /// The most embeddings in the cache; 0 switches it off.
    pub cache_items: u64,
    /// A cached embedding and its text may have this many bytes at most.
    pub cache_item_max_bytes: usize,
    /// How long an embedding stays in the cache, in minutes.
    pub cache_minutes: u64,
}

impl Default for EmbedConfig {
    fn default() -> Self {
        Self {
            model: "all-MiniLM-L6-v2".to_owned(),
            reranker: "ms-marco-MiniLM-L-12-v2".to_owned(),
            sessions: 0,
            batch_texts: 4,
            cache_items: 10_000,
            cache_item_max_bytes: 1024 * 1024,
            cache_minutes: 15,
        }
    }
}

impl EmbedConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`EmbedError::Setting`] for the first setting outside its range.
    pub fn validate(&self) -> Result<(), EmbedError> {
        if !(1..=64).contains(&self.batch_texts) {
            let (setting, expected) = ("embed.batch_texts", "between 1 and 64");
            return Err(EmbedError::Setting {
                setting,
                expected,
                found: self.batch_texts.to_string(),
            });
        }
        if self.sessions > 1024 {
            let (setting, expected) = ("embed.sessions", "at most 1024, or 0 for one per core");
            return Err(EmbedError::Setting {
                setting,
                expected,
                found: self.sessions.to_string(),
            });
        }
        Ok(())
    }

    /// How many sessions to open on this machine.
    pub fn sessions(&self) -> usize {
        match self.sessions {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            sessions => sessions,
        }
    }
}
