//! Which earlier messages of the conversation a prompt carries: those that conversation selection
//! picks for the question.

use std::collections::HashMap;

use dcs_core::{Assembly, Conversation, ConversationConfig, NewMessage, Query, SelectionDecision};
use ee_store::{ConversationId, Role, StoredMessage};
use km_core::{Identity, Timestamp};
use parking_lot::Mutex;

use super::tokens::TokenEstimator;
use crate::{ChatMessage, ChatRole, PipelineError};

/// How many conversations stay in memory between turns.
const KEPT_CONVERSATIONS: usize = 64;

/// Earlier messages as the prompt carries them, and why these.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) messages: Vec<ChatMessage>,
    pub(crate) decision: Option<SelectionDecision>,
}

/// Bounds of a history.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) messages: usize,
    pub(crate) tokens: u64,
}

/// Conversations with their lines of work. They are rebuilt from the stored messages, which give
/// the same result every time; what is kept here only saves the work.
pub(crate) struct Threads {
    config: ConversationConfig,
    kept: Mutex<HashMap<(Identity, ConversationId), Kept>>,
}

struct Kept {
    conversation: Conversation,
    /// The last message that was registered: a conversation that was forgotten and begun anew is
    /// known by it.
    last: StoredMessage,
}

impl Threads {
    pub(crate) fn new(config: ConversationConfig) -> Self {
        Self {
            config,
            kept: Mutex::default(),
        }
    }

    /// Chooses among `stored`, all messages of a conversation, those that matter for `question`.
    pub(crate) fn select(
        &self,
        owner: &Identity,
        name: &ConversationId,
        stored: &[StoredMessage],
        question: (&str, Timestamp),
        budget: Budget,
        estimator: &dyn TokenEstimator,
    ) -> Result<History, PipelineError> {
        let Some(last) = stored.last() else {
            return Ok(History::default());
        };
        let mut conversation = self.take(owner, name, stored)?;
        let known = conversation.history().len();
        for message in stored.iter().skip(known) {
            conversation.register(NewMessage {
                speaker: speaker(message.role),
                text: &message.text,
                at: message.at,
                tokens: u32::try_from(estimator.estimate(&message.text)).unwrap_or(u32::MAX),
                embedding: None,
            })?;
        }
        let assembly = conversation.assemble(&Query {
            speaker: speaker(Role::User),
            text: question.0,
            at: question.1,
            embedding: None,
            max_messages: budget.messages,
            max_tokens: budget.tokens,
        })?;
        self.keep(
            owner,
            name,
            Kept {
                conversation,
                last: last.clone(),
            },
        );
        Ok(render(stored, assembly))
    }

    /// The conversation as far as it is known and still the one that is stored.
    fn take(
        &self,
        owner: &Identity,
        name: &ConversationId,
        stored: &[StoredMessage],
    ) -> Result<Conversation, PipelineError> {
        let kept = self.kept.lock().remove(&(owner.clone(), name.clone()));
        let current = kept.filter(|kept| {
            let at = kept.conversation.history().len().checked_sub(1);
            at.and_then(|at| stored.get(at)) == Some(&kept.last)
        });
        match current {
            Some(kept) => Ok(kept.conversation),
            None => Ok(Conversation::new(self.config.clone())?),
        }
    }

    fn keep(&self, owner: &Identity, name: &ConversationId, conversation: Kept) {
        let mut kept = self.kept.lock();
        if kept.len() >= KEPT_CONVERSATIONS {
            kept.clear();
        }
        kept.insert((owner.clone(), name.clone()), conversation);
    }
}

fn speaker(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// The selected messages in order. An answer whose question was not selected is left out at the
/// beginning, since some servers want the user to speak first.
fn render(stored: &[StoredMessage], assembly: Assembly) -> History {
    let selected = assembly.messages.iter();
    let messages = selected
        .filter_map(|selected| stored.get(usize::try_from(selected.message.position()).ok()?))
        .skip_while(|message| message.role == Role::Assistant)
        .map(chat_message)
        .collect();
    tracing::debug!(target: "assemble", strategy = ?assembly.strategy, "history assembled");
    History {
        messages,
        decision: Some(assembly.decision),
    }
}

/// A stored message as a prompt carries it.
fn chat_message(message: &StoredMessage) -> ChatMessage {
    let role = match message.role {
        Role::User => ChatRole::User,
        Role::Assistant => ChatRole::Assistant,
    };
    ChatMessage::new(role, message.text.as_str())
}
