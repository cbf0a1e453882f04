//! What can be set about ingestion.

use serde::{Deserialize, Serialize};

/// Settings of ingestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IngestConfig {
    /// Words per piece of plain text.
    pub words_per_piece: usize,
    /// Share of a piece that repeats the end of the one before, in percent, 0–90.
    pub overlap_percent: u8,
    /// Files larger than this are skipped.
    pub max_file_bytes: u64,
    /// About how many tokens a summary has.
    pub summary_tokens: usize,
}

impl Default for IngestConfig {
    fn default() -> Self {
        Self {
            words_per_piece: 40,
            overlap_percent: 25,
            max_file_bytes: 16 * 1024 * 1024,
            summary_tokens: 25,
        }
    }
}
