//! Saving and restoring a conversation: as a whole, or the changes since the last time.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::addresses::speaker_hash;
use crate::{Conversation, Dcn, DcnId, DcsError, Decision, MessageId, MessageRecord};

/// Version of the layout of [`ConversationState`].
pub const STATE_VERSION: u32 = 1;

/// What must be stored so that a restored conversation decides as this one would.
///
/// The same type holds a whole conversation and the changes since the last time: applying changes
/// means adding or replacing the messages and the lines of work by id, and appending the decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConversationState {
    /// Layout version.
    pub version: u32,
    /// Messages, in order.
    pub messages: Vec<MessageRecord>,
    /// Lines of work, by id.
    pub dcns: Vec<Dcn>,
    /// Decisions, oldest first.
    pub decisions: Vec<Decision>,
}

impl ConversationState {
    /// Whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.dcns.is_empty() && self.decisions.is_empty()
    }

    /// Adds later changes. A conversation restored from the result is up to date.
    pub fn apply(&mut self, changes: Self) {
        for message in changes.messages {
            match self.messages.get_mut(message.id.index()) {
                Some(known) => *known = message,
                None => self.messages.push(message),
            }
        }
        for dcn in changes.dcns {
            match self.dcns.binary_search_by_key(&dcn.id, |known| known.id) {
                Ok(index) => {
                    if let Some(known) = self.dcns.get_mut(index) {
                        *known = dcn;
                    }
                }
                Err(index) => self.dcns.insert(index, dcn),
            }
        }
        self.decisions.extend(changes.decisions);
    }
}

/// What has changed since changes were last taken.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    pub(crate) messages: BTreeSet<MessageId>,
    pub(crate) dcns: BTreeSet<DcnId>,
    /// As many as the log keeps.
    pub(crate) decisions: VecDeque<Arc<Decision>>,
}

impl Conversation {
    /// The whole conversation, for storage or export.
    pub fn state(&self) -> ConversationState {
        ConversationState {
            version: STATE_VERSION,
            messages: self.history.messages().to_vec(),
            dcns: self.history.dcns().cloned().collect(),
            decisions: self.log.iter().cloned().collect(),
        }
    }

    /// What has changed since the last call: new messages, lines of work that are new or touched,
    /// and new decisions. Its size does not depend on the length of the conversation.
    pub fn take_changes(&mut self) -> ConversationState {
        let pending = std::mem::take(&mut self.pending);
        let message = |id: &MessageId| self.history.message(*id).cloned();
        let dcn = |id: &DcnId| self.history.dcn(*id).cloned();
        ConversationState {
            version: STATE_VERSION,
            messages: pending.messages.iter().filter_map(message).collect(),
            dcns: pending.dcns.iter().filter_map(dcn).collect(),
            decisions: pending
                .decisions
                .into_iter()
                .map(Arc::unwrap_or_clone)
                .collect(),
        }
    }

    /// Fills an empty conversation from storage. Keys that name a line of work which has been
    /// merged since are brought up to date.
    ///
    /// # Errors
    /// [`DcsError::State`] when the layout is of another version, messages are missing or out of
    /// order, or a key names a line of work that is not there.
    pub fn restore(mut self, state: ConversationState) -> Result<Self, DcsError> {
        let wrong = |reason, position| DcsError::State { reason, position };
        if state.version != STATE_VERSION {
            return Err(wrong("it has another version", 0));
        }
        if !self.history.is_empty() {
            return Err(wrong("the conversation to fill is not empty", 0));
        }
        for dcn in state.dcns {
            if dcn.merged_into.is_some_and(|older| older >= dcn.id) {
                return Err(wrong("a line of work was merged into a younger one", 0));
            }
            self.history.put_dcn(dcn);
        }
        for message in state.messages {
            self.restore_message(message)?;
        }
        for decision in state.decisions {
            self.log.push(Arc::new(decision));
        }
        Ok(self)
    }

    fn restore_message(&mut self, mut message: MessageRecord) -> Result<(), DcsError> {
        let position = message.id.position();
        let wrong = |reason| DcsError::State { reason, position };
        if message.id != self.history.next_id() {
            return Err(wrong("messages must count up from 0 without a gap"));
        }
        if message
            .influences
            .iter()
            .any(|link| link.from >= message.id)
        {
            return Err(wrong("a soft link must lead to an earlier message"));
        }
        let open = message
            .key
            .dcns
            .iter()
            .map(|dcn| self.history.resolve(*dcn));
        let open: Option<BTreeSet<DcnId>> = open.collect();
        message.key.dcns = open.ok_or_else(|| wrong("its line of work is missing"))?;
        message.addresses.speaker = speaker_hash(&message.speaker);
        message.speaker = self.history.name(&message.speaker);
        self.history.push(message);
        Ok(())
    }
}
