//! The conversations in use, and what is chosen from them.

use std::collections::HashMap;
use std::sync::Arc;

use dcs_core::{Assembly, ConversationConfig, MessageId, Query};
use ee_store::{ConversationId, Role, StoreError, TurnStore};
use km_core::{Identity, Timestamp};
use parking_lot::Mutex;

use super::config::MemoryConfig;
use super::report::{ContextMessage, ContextReport};
use super::thread::{Name, Thread, Tools, message, speaker};
use crate::turn::TokenEstimator;
use crate::{KnowledgeBase, PipelineError};

/// How many conversations stay in memory between turns.
const KEPT_CONVERSATIONS: usize = 64;

/// How often an update is tried again when another process was faster.
const ATTEMPTS: usize = 5;

/// What is asked, and when.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: Timestamp,
}

/// Bounds of a selection.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) messages: usize,
    pub(crate) tokens: u64,
}

/// What a selection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A turn: the selection is logged.
    Turn,
    /// Somebody looks what would be selected: nothing is logged.
    Preview,
}

/// Conversations with their lines of work. The store has them too, after every turn; what is
/// kept here only saves the work of loading them.
pub(crate) struct Threads {
    config: ConversationConfig,
    memory: MemoryConfig,
    store: Arc<dyn TurnStore>,
    knowledge: Arc<KnowledgeBase>,
    estimator: Arc<dyn TokenEstimator>,
    kept: Mutex<HashMap<(Identity, ConversationId), Thread>>,
}

impl Threads {
    pub(crate) fn new(
        config: ConversationConfig,
        memory: MemoryConfig,
        store: Arc<dyn TurnStore>,
        knowledge: Arc<KnowledgeBase>,
        estimator: Arc<dyn TokenEstimator>,
    ) -> Self {
        Self {
            config,
            memory,
            store,
            knowledge,
            estimator,
            kept: Mutex::default(),
        }
    }

    /// Chooses the stored messages of a conversation that matter for what is asked.
    pub(crate) fn select(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        asked: Asked<'_>,
        budget: Budget,
        purpose: Purpose,
    ) -> Result<ContextReport, PipelineError> {
        let name = Name {
            owner,
            conversation,
        };
        self.with(name, |thread| {
            self.choose(name, thread, asked, budget, purpose)
        })
    }

    /// Registers what has been said since, so that the next turn finds it done.
    pub(crate) fn note(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
    ) -> Result<(), PipelineError> {
        let name = Name {
            owner,
            conversation,
        };
        self.with(name, |_| Ok(()))
    }

    /// Acts on a thread that knows every stored message, and saves what that changed. When
    /// another process wrote meanwhile, everything is done again on what it wrote.
    fn with<T>(
        &self,
        name: Name<'_>,
        act: impl Fn(&mut Thread) -> Result<T, PipelineError>,
    ) -> Result<T, PipelineError> {
        let mut attempt = 1;
        loop {
            match self.attempt(name, &act) {
                Err(PipelineError::Store(StoreError::StaleState { .. })) if attempt < ATTEMPTS => {
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    fn attempt<T>(
        &self,
        name: Name<'_>,
        act: &impl Fn(&mut Thread) -> Result<T, PipelineError>,
    ) -> Result<T, PipelineError> {
        let mut thread = self.current(name)?;
        thread.catch_up(name, self.tools())?;
        let result = act(&mut thread)?;
        thread.save(name, self.tools())?;
        self.keep(name, thread);
        Ok(result)
    }

    /// The thread in memory while it is still the one that is stored, else the stored one.
    fn current(&self, name: Name<'_>) -> Result<Thread, PipelineError> {
        let key = (name.owner.clone(), name.conversation.clone());
        let kept = self.kept.lock().remove(&key);
        match kept {
            Some(thread) if thread.fits(name, self.tools())? => Ok(thread),
            _ => Thread::load(name, self.tools()),
        }
    }

    fn keep(&self, name: Name<'_>, thread: Thread) {
        let mut kept = self.kept.lock();
        if kept.len() >= KEPT_CONVERSATIONS {
            kept.clear();
        }
        kept.insert((name.owner.clone(), name.conversation.clone()), thread);
    }

    fn tools(&self) -> Tools<'_> {
        Tools {
            store: self.store.as_ref(),
            knowledge: self.knowledge.as_ref(),
            estimator: self.estimator.as_ref(),
            config: &self.config,
            memory: &self.memory,
        }
    }

    fn choose(
        &self,
        name: Name<'_>,
        thread: &mut Thread,
        asked: Asked<'_>,
        budget: Budget,
        purpose: Purpose,
    ) -> Result<ContextReport, PipelineError> {
        if thread.conversation.history().is_empty() {
            return Ok(ContextReport::default());
        }
        let vectors = self.knowledge.embed_messages(&[asked.text])?;
        let vector = vectors.first().map(Vec::as_slice).unwrap_or_default();
        let found = if thread.conversation.fits(budget.messages, budget.tokens) {
            Vec::new()
        } else {
            thread.found(name, self.tools(), asked.text, vector)?
        };
        let query = Query {
            speaker: speaker(Role::User),
            text: asked.text,
            at: asked.at,
            embedding: Some(vector),
            max_messages: budget.messages,
            max_tokens: budget.tokens,
            found: &found,
        };
        let assembly = match purpose {
            Purpose::Turn => thread.conversation.assemble(&query),
            Purpose::Preview => thread.conversation.preview(&query),
        }?;
        self.report(name, thread, asked.text, assembly)
    }

    fn report(
        &self,
        name: Name<'_>,
        thread: &Thread,
        objective: &str,
        assembly: Assembly,
    ) -> Result<ContextReport, PipelineError> {
        let mut messages = Vec::with_capacity(assembly.messages.len());
        for selected in &assembly.messages {
            let position = selected.message.position();
            if let Some(stored) = message(name, self.tools(), position)? {
                let (score, reasons) = (selected.score, selected.reasons.clone());
                messages.push(ContextMessage::new(stored, score, reasons));
            }
        }
        let text_of = |id: MessageId| {
            let found = messages.iter().find(|m| m.position == id.position());
            found.map(|message| message.text.clone())
        };
        let frame = thread.conversation.frame(objective, &assembly, text_of);
        Ok(ContextReport {
            frame,
            messages,
            lines_of_work: assembly.lines_of_work,
            decision: Some(assembly.decision),
        })
    }
}
