//! One line of an export.

use km_core::{Governance, Identity, SourceId, Unit};
use serde::{Deserialize, Serialize};

use super::TransferReport;
use crate::sqlite::threads::ThreadHead;
use crate::{StoredMessage, ThreadRecord, TurnRecord};

/// Names the layout; stands in the first line.
pub(super) const FORMAT: &str = "eerag-export";

/// Version of the layout.
pub(super) const VERSION: u32 = 2;

/// The oldest layout that can still be read; the first had no thread records.
pub(super) const OLDEST_VERSION: u32 = 1;

/// One line of an export. Embeddings come before the units that refer to them, units after their
/// source, messages, state and decisions after their conversation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Record {
    /// The first line.
    Header {
        format: String,
        version: u32,
        fingerprint: Option<String>,
    },
    /// A vector: the hash of its text in hexadecimal, its little-endian `f32` bytes in base64.
    Embedding { text_sha256: String, vector: String },
    /// A source without its units.
    Source {
        source: SourceId,
        title: Option<String>,
        governance: Governance,
        content_sha256: String,
        recipe_sha256: String,
        root: Option<String>,
    },
    /// A unit of the last source, in reading order.
    Unit {
        text_sha256: String,
        unit: Box<Unit>,
    },
    /// A conversation without its messages.
    Conversation { name: String, owner: Identity },
    /// A message of the last conversation, in order.
    Message(StoredMessage),
    /// That lines of work of the last conversation follow.
    ThreadState(ThreadHead),
    /// What is remembered of a message, or a line of work, of the last conversation.
    ThreadRecord(ThreadRecord),
    /// A decision of the last conversation, oldest first.
    Decision { decision: String },
    /// An audited turn.
    Turn(TurnRecord),
    /// The last line: what came before it.
    End(TransferReport),
}
