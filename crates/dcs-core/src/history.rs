//! What a conversation remembers, with the indexes that make it quick to read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::terms::TermHash;
use crate::{Dcn, DcnId, DomainId, Intent, MessageId, MessageRecord};

/// Latest messages whose speakers may be meant by the start of a name.
const NAMED_WINDOW: usize = 64;
/// Speakers from which on a conversation is a chat room.
const CHAT_ROOM_SPEAKERS: usize = 3;

/// Messages, lines of work, and their indexes. Intents, domains and lines of work are indexed
/// apart, so that equal numbers never meet.
#[derive(Debug, Clone, Default)]
pub struct History {
    messages: Vec<MessageRecord>,
    /// The line of work of each message, so that many messages can be asked for it without reading
    /// them.
    lines: Vec<Placement>,
    dcns: BTreeMap<DcnId, Dcn>,
    by_intent: BTreeMap<Intent, Vec<MessageId>>,
    by_domain: BTreeMap<DomainId, Vec<MessageId>>,
    by_dcn: FxHashMap<DcnId, Vec<MessageId>>,
    by_term: FxHashMap<TermHash, Vec<MessageId>>,
    by_function: FxHashMap<u64, MessageId>,
    by_speaker: FxHashMap<TermHash, Vec<MessageId>>,
    /// The names of all who have said something.
    names: FxHashSet<Arc<str>>,
    /// Speakers with a name who have said something.
    named_speakers: usize,
    /// Open lines of work by their last message, for the most recently active ones.
    activity: BTreeSet<(MessageId, DcnId)>,
    /// Sum of the embeddings at unit length in steps of 2⁻¹⁶: whole numbers, so that taking a
    /// message out leaves no rounding error behind.
    embedding_sum: Vec<i64>,
    embedded: usize,
}

/// The lines of work of a message in short.
#[derive(Debug, Clone, Copy)]
enum Placement {
    /// There is one.
    One(DcnId),
    /// There is none, or there are several: the key tells.
    Other,
}

impl Placement {
    fn of(message: &MessageRecord) -> Self {
        let mut dcns = message.key.dcns.iter();
        match (dcns.next(), dcns.next()) {
            (Some(dcn), None) => Self::One(*dcn),
            _ => Self::Other,
        }
    }
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
        (self.embedded > 0).then_some(self.embedding_sum.len())
    }

    /// A message.
    #[inline]
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
    #[inline]
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
    #[inline]
    pub fn with_term(&self, term: TermHash) -> &[MessageId] {
        self.by_term.get(&term).map_or(&[], Vec::as_slice)
    }

    /// The first message that carried a function with this fingerprint.
    pub fn first_with_function(&self, fingerprint: u64) -> Option<MessageId> {
        self.by_function.get(&fingerprint).copied()
    }

    /// The lines of work of a message, ascending.
    #[inline]
    pub(crate) fn dcns_of(&self, id: MessageId) -> impl Iterator<Item = DcnId> + '_ {
        let (one, key) = match self.lines.get(id.index()) {
            Some(Placement::One(dcn)) => (Some(*dcn), None),
            Some(Placement::Other) => (None, self.message(id).map(|message| &message.key.dcns)),
            None => (None, None),
        };
        one.into_iter().chain(key.into_iter().flatten().copied())
    }

    /// The messages of a speaker, in order.
    pub(crate) fn spoken_by(&self, speaker: TermHash) -> &[MessageId] {
        self.by_speaker.get(&speaker).map_or(&[], Vec::as_slice)
    }

    /// A speaker's name, as the messages share it.
    pub(crate) fn name(&self, speaker: &str) -> Arc<str> {
        let known = self.names.get(speaker).cloned();
        known.unwrap_or_else(|| speaker.into())
    }

    /// The latest speaker whose name begins with `start`; case does not count.
    pub(crate) fn named_like(&self, start: &str) -> Option<TermHash> {
        let start = start.to_lowercase();
        let latest = self.latest(NAMED_WINDOW).iter().rev();
        let mut like = latest.filter(|record| record.speaker.to_lowercase().starts_with(&start));
        like.next().map(|record| record.addresses.speaker)
    }

    /// Whether so many people speak that it matters who speaks to whom.
    pub(crate) fn is_chat_room(&self) -> bool {
        self.named_speakers >= CHAT_ROOM_SPEAKERS
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

    /// Changes a line of work in place; `None` when there is no such.
    pub(crate) fn change_dcn(&mut self, id: DcnId, change: impl FnOnce(&mut Dcn)) -> Option<()> {
        let dcn = self.dcns.get_mut(&id)?;
        let before = dcn.last_message;
        change(dcn);
        if dcn.last_message != before && self.activity.remove(&(before, id)) {
            self.activity.insert((dcn.last_message, id));
        }
        Some(())
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
        let said = self
            .by_speaker
            .entry(message.addresses.speaker)
            .or_default();
        if said.is_empty() && !message.speaker.is_empty() {
            self.named_speakers += 1;
        }
        said.push(id);
        if !self.names.contains(&message.speaker) {
            self.names.insert(Arc::clone(&message.speaker));
        }
        self.add_embedding(&message, 1);
        self.lines.push(Placement::of(&message));
        self.messages.push(message);
    }

    /// Takes the last message back out, with its index entries. The lines of work stay.
    pub(crate) fn pop(&mut self) -> Option<MessageRecord> {
        let message = self.messages.pop()?;
        self.lines.pop();
        let drop_last = |entry: Option<&mut Vec<MessageId>>| {
            if let Some(entry) = entry.filter(|entry| entry.last() == Some(&message.id)) {
                entry.pop();
            }
        };
        for intent in &message.key.intents {
            drop_last(self.by_intent.get_mut(intent));
        }
        for domain in &message.key.domains {
            drop_last(self.by_domain.get_mut(domain));
        }
        for dcn in &message.key.dcns {
            drop_last(self.by_dcn.get_mut(dcn));
        }
        for term in message.terms.iter() {
            drop_last(self.by_term.get_mut(&term));
        }
        for function in &message.functions {
            if self.by_function.get(function) == Some(&message.id) {
                self.by_function.remove(function);
            }
        }
        let said = self.by_speaker.get_mut(&message.addresses.speaker);
        let silent = said.as_ref().is_some_and(|said| said.len() == 1);
        drop_last(said);
        if silent && !message.speaker.is_empty() {
            self.named_speakers = self.named_speakers.saturating_sub(1);
        }
        self.add_embedding(&message, -1);
        Some(message)
    }

    /// Removes a line of work that no message names.
    pub(crate) fn remove_dcn(&mut self, id: DcnId) {
        if let Some(dcn) = self.dcns.remove(&id) {
            self.activity.remove(&(dcn.last_message, dcn.id));
        }
        self.by_dcn.remove(&id);
    }

    /// Mean of the embeddings, shrunk towards 0 as if five more had been 0; empty without any.
    pub(crate) fn mean_embedding(&self) -> Vec<f32> {
        let count = self.embedded as f32 + 5.0;
        let scale = 1.0 / (65_536.0 * count);
        let sums = self.embedding_sum.iter();
        sums.map(|sum| *sum as f32 * scale).collect()
    }

    fn add_embedding(&mut self, message: &MessageRecord, sign: i64) {
        let Some(embedding) = &message.embedding else {
            return;
        };
        self.embedding_sum.resize(embedding.dimension(), 0);
        for (sum, component) in self.embedding_sum.iter_mut().zip(embedding.unit()) {
            *sum += sign * (component * 65_536.0) as i64;
        }
        self.embedded = if sign > 0 {
            self.embedded.saturating_add(1)
        } else {
            self.embedded.saturating_sub(1)
        };
    }

    /// Moves the messages of `younger` to `older`, in keys and index.
    pub(crate) fn relink(&mut self, younger: DcnId, older: DcnId) {
        let moved = self.by_dcn.remove(&younger).unwrap_or_default();
        for id in &moved {
            if let Some(message) = self.messages.get_mut(id.index()) {
                message.key.dcns.remove(&younger);
                message.key.dcns.insert(older);
                if let Some(line) = self.lines.get_mut(id.index()) {
                    *line = Placement::of(message);
                }
            }
        }
        let members = self.by_dcn.entry(older).or_default();
        members.extend(moved);
        members.sort_unstable();
        members.dedup();
    }
}
