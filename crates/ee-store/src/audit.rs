//! The trait of the audit: what was offered, what was elected, when, to whom.

use km_core::{AccessScope, Identity, SourceId, Timestamp, UnitId};
use serde::{Deserialize, Serialize};

use crate::{ConversationId, StoreError};

/// Names a turn; assigned by the store, growing.
pub type TurnId = u64;

/// A unit that the model was offered, as it stood then; readable after the unit is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedUnit {
    /// Rank in this turn's header, from 1: the `n` of `[ID:n]`.
    pub rank: usize,
    /// The unit.
    pub unit: UnitId,
    /// Its source.
    pub source: SourceId,
    /// The summary as it was shown.
    pub summary: String,
    /// Fused relevance, 0–1.
    pub relevance: f32,
    /// SHA-256 of the stored embedding, lower-case hexadecimal.
    pub embedding_sha256: String,
}

/// A unit that was injected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElectedUnit {
    /// Rank in this turn's header.
    pub rank: usize,
    /// The unit.
    pub unit: UnitId,
    /// The tag as written in the answer, without brackets: 8, 12 or 16 hexadecimal digits.
    pub tag: String,
}

/// The second phase: what became of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// The turn was answered.
    Answered {
        /// What was injected.
        elected: Vec<ElectedUnit>,
        /// Ranks that were asked for but had not been offered.
        refused: Vec<String>,
        /// Ranks that were elected but did not fit the budget.
        unfit: Vec<usize>,
        /// Ids that the answer cited without having been offered them.
        false_citations: Vec<String>,
        /// Model calls, 1 or more.
        calls: u32,
        /// Tokens sent in all calls.
        prompt_tokens: u64,
        /// Tokens received in all calls.
        completion_tokens: u64,
    },
    /// A call failed.
    Failed {
        /// What went wrong.
        message: String,
    },
}

/// A turn as the audit keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The turn.
    pub turn: TurnId,
    /// Whose turn it was.
    pub owner: Identity,
    /// The conversation, unless the question stood alone.
    pub conversation: Option<ConversationId>,
    /// The user's message.
    pub question: String,
    /// When the first phase was written.
    pub at: Timestamp,
    /// What was offered, by rank.
    pub offered: Vec<OfferedUnit>,
    /// The second phase; absent when the turn never got there.
    pub outcome: Option<Outcome>,
    /// When the second phase was written.
    pub completed_at: Option<Timestamp>,
}

/// Two-phase audit of turns.
pub trait AuditStore: Send + Sync {
    /// Writes the first phase, before the first model call.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn begin_turn(
        &self,
        scope: &AccessScope,
        conversation: Option<&ConversationId>,
        question: &str,
        offered: &[OfferedUnit],
    ) -> Result<TurnId, StoreError>;

    /// Writes the second phase together with the messages that persist, in one transaction.
    /// `history` is empty for a failed turn; without a conversation it is not kept.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses or the turn is not the scope's.
    fn end_turn(
        &self,
        scope: &AccessScope,
        turn: TurnId,
        outcome: &Outcome,
        history: &[(crate::Role, &str)],
    ) -> Result<(), StoreError>;

    /// The turns in which `tag` (8 to 64 hexadecimal digits) was elected, latest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses or the tag is malformed.
    fn turns_by_tag(&self, scope: &AccessScope, tag: &str) -> Result<Vec<TurnRecord>, StoreError>;

    /// The scope's latest turns, latest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn latest_turns(
        &self,
        scope: &AccessScope,
        limit: usize,
    ) -> Result<Vec<TurnRecord>, StoreError>;
}
