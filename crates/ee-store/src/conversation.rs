//! The trait of a store of conversations. What was looked up never enters it.

use km_core::{Identity, Timestamp};
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// Names a conversation within its owner's scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConversationId(String);

impl ConversationId {
    /// A conversation of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A message as it persists: a user turn, or an assistant turn with its tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMessage {
    /// Position in its conversation, from 0.
    pub position: u64,
    /// Who wrote it.
    pub role: Role,
    /// The text, tags included.
    pub text: String,
    /// When it was written.
    pub at: Timestamp,
}

/// A conversation at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationSummary {
    /// Its name.
    pub conversation: ConversationId,
    /// How many messages it has.
    pub messages: u64,
    /// When the first was written.
    pub started: Timestamp,
    /// When the last was written.
    pub last: Timestamp,
}

/// Conversations, each visible to its owner alone: the identity's tenant names the owner's scope,
/// and the identity must be at least as cleared as the one that wrote the conversation.
pub trait ConversationStore: Send + Sync {
    /// Appends messages in one transaction and returns the position of the first.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses, or the conversation belongs to somebody else.
    fn append(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        messages: &[(Role, &str, Timestamp)],
    ) -> Result<u64, StoreError>;

    /// The messages from `from` on, in order, at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn messages(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError>;

    /// The owner's conversations, most recent first.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn conversations(&self, owner: &Identity) -> Result<Vec<ConversationSummary>, StoreError>;

    /// Removes a conversation, its lines of work and its audit. `false` when there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn forget(&self, owner: &Identity, conversation: &ConversationId) -> Result<bool, StoreError>;
}
