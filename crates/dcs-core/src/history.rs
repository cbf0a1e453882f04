//! What a conversation remembers, with the indexes that make it quick to read.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::terms::TermHash;
use crate::{Dcn, DcnId, DomainId, Intent, MessageId, MessageRecord};

/// Messages, lines of work, and their indexes. Intents, domains and lines of work are indexed
/// apart, so that equal numbers never meet.
#[derive(Debug, Clone, Default)]
pub struct History {
    messages: Vec<MessageRecord>,
    dcns: BTreeMap<DcnId, Dcn>,
    by_intent: BTreeMap<Intent, Vec<MessageId>>,
    by_domain: BTreeMap<DomainId, Vec<MessageId>>,
    by_dcn: FxHashMap<DcnId, Vec<MessageId>>,
    by_term: FxHashMap<TermHash, Vec<MessageId>>,
    by_function: FxHashMap<u64, MessageId>,
    /// Open lines of work by their last message, for the most recently active ones.
    activity: BTreeSet<(MessageId, DcnId)>,
    dimension: Option<usize>,
}

impl History {
    /// Number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether nothing has been said.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The id that the next message gets.
    pub fn next_id(&self) -> MessageId {
        MessageId::new(self.messages.len() as u64)
    }

    /// Length of the embeddings; `None` before the first.
    pub fn dimension(&self) -> Option<usize> {
        self.dimension
    }

    /// A message.
    pub fn message(&self, id: MessageId) -> Option<&MessageRecord> {
        self.messages.get(id.index())
    }

    /// All messages, in order.
    pub fn messages(&self) -> &[MessageRecord] {
        &self.messages
    }

    /// The last `count` messages, oldest first.
    pub fn latest(&self, count: usize) -> &[MessageRecord] {
        let start = self.messages.len().saturating_sub(count);
        self.messages.get(start..).unwrap_or_default()
    }

    /// A line of work, merged ones included.
    pub fn dcn(&self, id: DcnId) -> Option<&Dcn> {
        self.dcns.get(&id)
    }

    /// All lines of work by id, merged ones included.
    pub fn dcns(&self) -> impl Iterator<Item = &Dcn> {
        self.dcns.values()
    }

    /// Lines of work that have not been merged into an older one.
    pub fn open_dcns(&self) -> impl Iterator<Item = &Dcn> {
        self.dcns().filter(|dcn| dcn.merged_into.is_none())
    }

    /// The messages of a line of work, in order.
    pub fn members(&self, dcn: DcnId) -> &[MessageId] {
        self.by_dcn.get(&dcn).map_or(&[], Vec::as_slice)
    }

    /// The messages with an intent, in order.
    pub fn with_intent(&self, intent: Intent) -> &[MessageId] {
        self.by_intent.get(&intent).map_or(&[], Vec::as_slice)
    }

    /// The messages with a domain, in order.
    pub fn with_domain(&self, domain: DomainId) -> &[MessageId] {
        self.by_domain.get(&domain).map_or(&[], Vec::as_slice)
    }

    /// The messages that contain a term, in order.
    pub fn with_term(&self, term: TermHash) -> &[MessageId] {
        self.by_term.get(&term).map_or(&[], Vec::as_slice)
    }

    /// The first message that carried a function with this fingerprint.
    pub fn first_with_function(&self, fingerprint: u64) -> Option<MessageId> {
        self.by_function.get(&fingerprint).copied()
    }

    /// Open lines of work, the most recently active first.
    pub fn recently_active(&self) -> impl Iterator<Item = DcnId> + '_ {
        self.activity.iter().rev().map(|(_, dcn)| *dcn)
    }

    /// Follows merges to the line of work that now stands for `id`; `None` when there is no such.
    pub fn resolve(&self, id: DcnId) -> Option<DcnId> {
        let mut dcn = self.dcns.get(&id)?;
        while let Some(older) = dcn.merged_into.filter(|older| *older < dcn.id) {
            dcn = self.dcns.get(&older)?;
        }
        Some(dcn.id)
    }

    /// The id that the next line of work gets.
    pub(crate) fn next_dcn(&self) -> DcnId {
        let last = self.dcns.keys().next_back().map_or(0, |id| id.number());
        DcnId::new(last.saturating_add(1))
    }

    /// Adds or replaces a line of work.
    pub(crate) fn put_dcn(&mut self, dcn: Dcn) {
        if let Some(old) = self.dcns.get(&dcn.id) {
            self.activity.remove(&(old.last_message, old.id));
        }
        if dcn.merged_into.is_none() {
            self.activity.insert((dcn.last_message, dcn.id));
        }
        self.dcns.insert(dcn.id, dcn);
    }

    /// Appends a message and indexes it under each of its identifiers.
    pub(crate) fn push(&mut self, message: MessageRecord) {
        let id = message.id;
        for intent in &message.key.intents {
            self.by_intent.entry(*intent).or_default().push(id);
        }
        for domain in &message.key.domains {
            self.by_domain.entry(*domain).or_default().push(id);
        }
        for dcn in &message.key.dcns {
            self.by_dcn.entry(*dcn).or_default().push(id);
        }
        for term in message.terms.iter() {
            self.by_term.entry(term).or_default().push(id);
        }
        for function in &message.functions {
            self.by_function.entry(*function).or_insert(id);
        }
        let dimension = message
            .embedding
            .as_ref()
            .map(crate::QuantizedVector::dimension);
        self.dimension = self.dimension.or(dimension);
        self.messages.push(message);
    }

    /// Moves the messages of `younger` to `older`, in keys and index.
    pub(crate) fn relink(&mut self, younger: DcnId, older: DcnId) {
        let moved = self.by_dcn.remove(&younger).unwrap_or_default();
        for id in &moved {
            if let Some(message) = self.messages.get_mut(id.index()) {
                message.key.dcns.remove(&younger);
                message.key.dcns.insert(older);
            }
        }
        let members = self.by_dcn.entry(older).or_default();
        members.extend(moved);
        members.sort_unstable();
        members.dedup();
    }
}
