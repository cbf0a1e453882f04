//! Which earlier messages of the conversation a prompt carries.

use ee_store::{Role, StoredMessage};

use super::tokens::TokenEstimator;
use crate::{ChatMessage, ChatRole};

/// The latest messages that fit `max_tokens` in all, oldest first.
pub(crate) fn latest(
    messages: &[StoredMessage],
    max_tokens: usize,
    estimator: &dyn TokenEstimator,
) -> Vec<ChatMessage> {
    let mut left = max_tokens;
    let mut taken: Vec<ChatMessage> = messages
        .iter()
        .rev()
        .map_while(|message| {
            left = left.checked_sub(estimator.estimate(&message.text))?;
            Some(chat_message(message))
        })
        .collect();
    taken.reverse();
    taken
}

/// A stored message as a prompt carries it.
pub(crate) fn chat_message(message: &StoredMessage) -> ChatMessage {
    let role = match message.role {
        Role::User => ChatRole::User,
        Role::Assistant => ChatRole::Assistant,
    };
    ChatMessage::new(role, message.text.as_str())
}
