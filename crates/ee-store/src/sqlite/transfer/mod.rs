//! Complete export and import as JSON Lines. `docs/store-format.md` describes the records.

mod export;
mod import;
mod record;

use serde::{Deserialize, Serialize};

/// What was written or read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferReport {
    /// Sources.
    pub sources: u64,
    /// Units.
    pub units: u64,
    /// Distinct embeddings.
    pub embeddings: u64,
    /// Conversations.
    pub conversations: u64,
    /// Messages.
    pub messages: u64,
    /// Audited turns.
    pub turns: u64,
}
