//! The trait of a store of lines of work: what conversation selection remembers between turns.

use km_core::Identity;
use serde::{Deserialize, Serialize};

use crate::{ConversationId, StoreError};

/// What conversation selection remembers of a conversation, as it wrote it; opaque to the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadState {
    /// Counts the updates; 0 before the first. An update names the revision that it read.
    pub revision: u64,
    /// Version of the layout of the records.
    pub format: u32,
    /// The model whose vectors the records hold, in its fingerprint's words; empty without any.
    pub model: String,
    /// Messages by position, then lines of work by id.
    pub records: Vec<ThreadRecord>,
}

/// One thing that is remembered, replaced as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadRecord {
    /// What it is.
    pub kind: ThreadRecordKind,
    /// Its position or number among its kind.
    pub id: u64,
    /// The record, for example as JSON.
    pub content: String,
}

/// What a [`ThreadRecord`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadRecordKind {
    /// What is kept of a message beside its text.
    Message,
    /// A line of work.
    LineOfWork,
}

/// What changes in what is remembered.
#[derive(Debug, Clone, Copy)]
pub struct ThreadUpdate<'a> {
    /// The revision that was loaded.
    pub revision: u64,
    /// Version of the layout of the records.
    pub format: u32,
    /// The model whose vectors the records hold; empty without any.
    pub model: &'a str,
    /// Whether everything kept so far goes first, the decision log apart.
    pub start_over: bool,
    /// Records to add, or to replace by kind and id.
    pub records: &'a [ThreadRecord],
    /// Entries for the decision log.
    pub decisions: &'a [String],
    /// How many entries the log keeps; the oldest go first.
    pub decisions_kept: usize,
}

/// Lines of work, kept beside the messages they stand on. Visible as the conversation is.
pub trait ThreadStateStore: Send + Sync {
    /// The state of a conversation; the empty state at revision 0 where there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn thread_state(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
    ) -> Result<ThreadState, StoreError>;

    /// Changes the records and extends the decision log in one transaction. Returns the new
    /// revision. Its cost does not depend on how much is kept.
    ///
    /// # Errors
    /// [`StoreError::StaleState`] when somebody else updated the conversation meanwhile;
    /// [`StoreError::ForeignConversation`] when it belongs to somebody else.
    fn update_threads(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        update: ThreadUpdate<'_>,
    ) -> Result<u64, StoreError>;

    /// The latest entries of the decision log, latest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn decisions(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        limit: usize,
    ) -> Result<Vec<String>, StoreError>;
}
