//! The trait of a store of lines of work: what conversation selection remembers between turns.

use km_core::{Identity, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{ConversationId, Role, StoreError};

/// The lines of work of a conversation, as conversation selection wrote them; opaque to the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadState {
    /// Counts the updates; 0 before the first. An update names the revision that it read.
    pub revision: u64,
    /// Version of the layout of `state`.
    pub format: u32,
    /// The state, for example as JSON.
    pub state: String,
}

/// What one turn changes in a conversation.
#[derive(Debug, Clone, Copy)]
pub struct ThreadUpdate<'a> {
    /// Messages to append.
    pub messages: &'a [(Role, &'a str, Timestamp)],
    /// The new state; its revision is the one that was loaded.
    pub state: &'a ThreadState,
    /// Entries for the decision log.
    pub decisions: &'a [String],
    /// How many entries the log keeps; the oldest go first.
    pub decisions_kept: usize,
}

/// Lines of work, kept with the messages they stand on. Visible as the conversation is.
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

    /// Appends messages, replaces the state and extends the decision log in one transaction.
    /// Returns the position of the first message.
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
