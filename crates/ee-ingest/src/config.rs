//! What can be set about ingestion.

use serde::{Deserialize, Serialize};

use crate::IngestError;

/// Settings of ingestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct IngestConfig {
    /// Words per piece of plain text, 1 or more.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "15..200 words logarithmic")))]
    pub words_per_piece: usize,
    /// Share of a piece that repeats the end of the one before, in percent, 0–90.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..60 percent linear")))]
    pub overlap_percent: u8,
    /// Files of more bytes are skipped.
    pub max_file_bytes: u64,
    /// About how many tokens a summary has, 5 or more.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "10..60 tokens logarithmic")))]
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

impl IngestConfig {
    /// Checks every setting against its range.
    ///
    /// # Errors
    /// [`IngestError::Setting`] naming the first setting that is out of range.
    pub fn validate(&self) -> Result<(), IngestError> {
        let wrong = |setting, expected, found: u64| {
            Err(IngestError::Setting {
                setting,
                expected,
                found: found.to_string(),
            })
        };
        if self.words_per_piece == 0 {
            return wrong("ingest.words_per_piece", "1 or more", 0);
        }
        if self.overlap_percent > 90 {
            let found = u64::from(self.overlap_percent);
            return wrong("ingest.overlap_percent", "0 to 90", found);
        }
        if self.max_file_bytes == 0 {
            return wrong("ingest.max_file_bytes", "1 or more", 0);
        }
        if self.summary_tokens < 5 {
            return wrong(
                "ingest.summary_tokens",
                "5 or more",
                self.summary_tokens as u64,
            );
        }
        Ok(())
    }
}
