//! One conversation with its lines of work: loaded, kept in step with the messages, saved.

use dcs_core::{
    Conversation, ConversationConfig, ConversationState, Decision, MessageId, NewMessage,
    STATE_VERSION,
};
use ee_index::IndexConfig;
use ee_store::{
    ConversationId, Role, StoredMessage, ThreadRecord, ThreadRecordKind, ThreadState, ThreadUpdate,
    TurnStore,
};
use km_core::Identity;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::config::MemoryConfig;
use super::turn_index::{IndexedTurn, TurnHit, TurnIndex};
use crate::turn::{TokenEstimator, without_tags};
use crate::{KnowledgeBase, PipelineError, SearchSystem};

/// Turns that a search finds for a question.
const FOUND: usize = 20;

/// Messages that are embedded and saved at once.
const BATCH: usize = 256;

/// Whose conversation it is.
#[derive(Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) owner: &'a Identity,
    pub(super) conversation: &'a ConversationId,
}

/// What a thread is kept with.
#[derive(Clone, Copy)]
pub(super) struct Tools<'a> {
    pub(super) store: &'a dyn TurnStore,
    pub(super) knowledge: &'a KnowledgeBase,
    pub(super) estimator: &'a dyn TokenEstimator,
    pub(super) config: &'a ConversationConfig,
    pub(super) memory: &'a MemoryConfig,
}

/// A conversation in memory.
pub(super) struct Thread {
    pub(super) conversation: Conversation,
    /// The revision that was loaded or written last.
    revision: u64,
    /// Whether what is stored cannot be used and goes with the next update.
    start_over: bool,
    /// The last message that was registered: a conversation that was forgotten and begun anew is
    /// known by it.
    last: Option<StoredMessage>,
    /// Search among the turns; made when a conversation first outgrows the budget.
    turns: Option<TurnIndex>,
}

impl Thread {
    /// The thread as it is stored; rebuilt from the messages where that does not fit.
    pub(super) fn load(name: Name<'_>, tools: Tools<'_>) -> Result<Self, PipelineError> {
        let stored = tools.store.thread_state(name.owner, name.conversation)?;
        let revision = stored.revision;
        match restore(name, tools, &stored) {
            Ok(conversation) => {
                let known = conversation.history().len() as u64;
                let last = match known.checked_sub(1) {
                    Some(position) => message(name, tools, position)?,
                    None => None,
                };
                Ok(Self {
                    start_over: revision > 0 && known == 0,
                    conversation,
                    revision,
                    last,
                    turns: None,
                })
            }
            Err(error) => {
                tracing::warn!(target: "dcn", %error, "lines of work are built anew");
                Ok(Self {
                    conversation: Conversation::new(tools.config.clone())?,
                    revision,
                    start_over: true,
                    last: None,
                    turns: None,
                })
            }
        }
    }

    /// Whether the stored conversation still begins with what this thread knows.
    pub(super) fn fits(&self, name: Name<'_>, tools: Tools<'_>) -> Result<bool, PipelineError> {
        match &self.last {
            None => Ok(true),
            Some(last) => Ok(message(name, tools, last.position)?.as_ref() == Some(last)),
        }
    }

    /// Registers the messages that are stored and not known yet. Many are saved in parts, so that
    /// an interrupt costs one part.
    pub(super) fn catch_up(
        &mut self,
        name: Name<'_>,
        tools: Tools<'_>,
    ) -> Result<(), PipelineError> {
        loop {
            let known = self.conversation.history().len() as u64;
            let store = tools.store;
            let next = store.messages(name.owner, name.conversation, known, BATCH)?;
            self.register(&next, tools)?;
            if next.len() < BATCH {
                return Ok(());
            }
            self.save(name, tools)?;
        }
    }

    fn register(
        &mut self,
        messages: &[StoredMessage],
        tools: Tools<'_>,
    ) -> Result<(), PipelineError> {
        let texts: Vec<&str> = messages.iter().map(|m| without_tags(&m.text)).collect();
        let vectors = tools.knowledge.embed_messages(&texts)?;
        for ((message, text), vector) in messages.iter().zip(texts).zip(&vectors) {
            let tokens = tools.estimator.estimate(&message.text);
            self.conversation.register(NewMessage {
                speaker: speaker(message.role),
                text,
                at: message.at,
                tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
                embedding: Some(vector),
            })?;
        }
        if let Some(last) = messages.last() {
            self.last = Some(last.clone());
        }
        Ok(())
    }

    /// The turns that hybrid search finds for a question, with their neighbours, best first.
    pub(super) fn found(
        &mut self,
        name: Name<'_>,
        tools: Tools<'_>,
        question: &str,
        vector: &[f32],
    ) -> Result<Vec<(MessageId, f64)>, PipelineError> {
        let mut turns = match self.turns.take() {
            Some(turns) => turns,
            None => TurnIndex::new(vector.len(), tools.memory.clone(), &IndexConfig::default())?,
        };
        self.index(name, tools, &mut turns)?;
        let hits = turns.search(question, vector, SearchSystem::Hybrid, FOUND)?;
        self.turns = Some(turns);
        Ok(with_neighbours(&hits, self.conversation.history().len()))
    }

    /// Adds the turns that the index does not hold yet.
    fn index(
        &self,
        name: Name<'_>,
        tools: Tools<'_>,
        turns: &mut TurnIndex,
    ) -> Result<(), PipelineError> {
        let records = self.conversation.history().messages();
        while turns.len() < records.len() {
            let (store, known) = (tools.store, turns.len());
            let messages = store.messages(name.owner, name.conversation, known as u64, BATCH)?;
            let pairs = records.iter().skip(known).zip(&messages);
            for (record, message) in pairs {
                let vector = record
                    .embedding
                    .as_ref()
                    .map(|vector| vector.unit().collect());
                turns.push(IndexedTurn {
                    speaker: speaker(message.role),
                    text: without_tags(&message.text),
                    at: message.at,
                    vector: &vector.unwrap_or_else(|| vec![0.0; turns.dimension()]),
                })?;
            }
            if turns.len() == known {
                break;
            }
        }
        Ok(())
    }

    /// Writes what has changed; nothing is written when nothing has.
    pub(super) fn save(&mut self, name: Name<'_>, tools: Tools<'_>) -> Result<(), PipelineError> {
        let changes = self.conversation.take_changes();
        if changes.is_empty() {
            return Ok(());
        }
        let decisions = changes.decisions.iter().map(to_json);
        let decisions: Vec<String> = decisions.collect::<Result<_, _>>()?;
        let update = ThreadUpdate {
            revision: self.revision,
            format: STATE_VERSION,
            model: tools.knowledge.fingerprint(),
            start_over: self.start_over,
            records: &records(&changes)?,
            decisions: &decisions,
            decisions_kept: tools.config.log.max_entries,
        };
        let store = tools.store;
        self.revision = store.update_threads(name.owner, name.conversation, update)?;
        self.start_over = false;
        Ok(())
    }
}

/// Each hit followed by the turns before and after it, which may be what makes sense of it.
fn with_neighbours(hits: &[TurnHit], turns: usize) -> Vec<(MessageId, f64)> {
    let mut found: Vec<(MessageId, f64)> = Vec::new();
    for hit in hits {
        let position = hit.position;
        let before = position.checked_sub(1);
        let after = Some(position + 1).filter(|after| *after < turns as u64);
        for near in [Some(position), before, after].into_iter().flatten() {
            let id = MessageId::new(near);
            if found.iter().all(|(known, _)| *known != id) {
                found.push((id, f64::from(hit.score)));
            }
        }
    }
    found
}

/// How a speaker is named to conversation selection.
pub(super) fn speaker(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// One stored message.
pub(super) fn message(
    name: Name<'_>,
    tools: Tools<'_>,
    position: u64,
) -> Result<Option<StoredMessage>, PipelineError> {
    let found = tools
        .store
        .messages(name.owner, name.conversation, position, 1)?;
    Ok(found.into_iter().next())
}

fn restore(
    name: Name<'_>,
    tools: Tools<'_>,
    stored: &ThreadState,
) -> Result<Conversation, PipelineError> {
    let empty = Conversation::new(tools.config.clone())?;
    let other_model = stored.model != tools.knowledge.fingerprint();
    if stored.revision == 0 || stored.format != STATE_VERSION || other_model {
        return Ok(empty);
    }
    let kept = tools.config.log.max_entries;
    let latest_first = tools.store.decisions(name.owner, name.conversation, kept)?;
    let mut state = ConversationState {
        version: stored.format,
        messages: Vec::new(),
        dcns: Vec::new(),
        decisions: Vec::new(),
    };
    for record in &stored.records {
        match record.kind {
            ThreadRecordKind::Message => state.messages.push(from_json(&record.content)?),
            ThreadRecordKind::LineOfWork => state.dcns.push(from_json(&record.content)?),
        }
    }
    let decisions = latest_first.iter().rev();
    let decisions = decisions.map(|decision| from_json::<Decision>(decision));
    state.decisions = decisions.collect::<Result<_, _>>()?;
    Ok(empty.restore(state)?)
}

fn records(changes: &ConversationState) -> Result<Vec<ThreadRecord>, PipelineError> {
    let messages = changes.messages.iter().map(|message| {
        Ok(ThreadRecord {
            kind: ThreadRecordKind::Message,
            id: message.id.position(),
            content: to_json(message)?,
        })
    });
    let lines = changes.dcns.iter().map(|dcn| {
        Ok(ThreadRecord {
            kind: ThreadRecordKind::LineOfWork,
            id: u64::from(dcn.id.number()),
            content: to_json(dcn)?,
        })
    });
    messages.chain(lines).collect()
}

fn to_json(value: &impl Serialize) -> Result<String, PipelineError> {
    serde_json::to_string(value).map_err(|source| PipelineError::ThreadRecord { source })
}

fn from_json<T: DeserializeOwned>(json: &str) -> Result<T, PipelineError> {
    serde_json::from_str(json).map_err(|source| PipelineError::ThreadRecord { source })
}
