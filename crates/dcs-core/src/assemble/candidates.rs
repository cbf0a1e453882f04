//! The messages that may be selected for a query; their number does not grow with the history.

use crate::assemble::Prepared;
use crate::{Conversation, DcnId, MessageId};

/// Lines of work whose messages are candidates beside that of the winner.
const LIKELY_LINES: usize = 8;

/// A message that may be selected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) id: MessageId,
    /// The soft link that brought it in, if one did.
    pub(super) link: Option<(MessageId, f64)>,
}

impl Conversation {
    /// The lines of work that the query most likely continues.
    fn likely_lines(prepared: &Prepared<'_>) -> Vec<DcnId> {
        let likely = prepared.ranking.candidates.iter().take(LIKELY_LINES);
        likely.map(|ranked| ranked.dcn).collect()
    }

    /// Candidates from the identifier index, widened by one step along soft links; in order.
    pub(super) fn selection_candidates(&self, prepared: &Prepared<'_>) -> Vec<Candidate> {
        let key = &prepared.key;
        let likely = Self::likely_lines(prepared);
        let per_entry = self.config.assembly.candidates_per_entry;
        let history = &self.history;
        let entries = key
            .intents
            .iter()
            .map(|intent| history.with_intent(*intent))
            .chain(
                key.domains
                    .iter()
                    .map(|domain| history.with_domain(*domain)),
            )
            .chain(
                key.dcns
                    .iter()
                    .chain(&likely)
                    .map(|dcn| history.members(*dcn)),
            );
        let mut found: Vec<MessageId> = prepared.certain.into_iter().collect();
        for entry in entries {
            found.extend(entry.iter().rev().take(per_entry));
        }
        let known = self.history.next_id();
        let searched = prepared.found.iter().map(|(id, _)| *id);
        found.extend(searched.filter(|id| *id < known));
        found.sort_unstable();
        found.dedup();
        self.widen(&found)
    }

    /// The messages, in order, and those that soft links tie to them, each with the link from the
    /// first one.
    fn widen(&self, found: &[MessageId]) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::with_capacity(found.len() * 2);
        candidates.extend(found.iter().map(|id| Candidate {
            id: *id,
            link: None,
        }));
        for id in found {
            let linked = self.linked(*id);
            let further = linked.filter(|(other, _)| found.binary_search(other).is_err());
            candidates.extend(further.map(|(other, weight)| Candidate {
                id: other,
                link: Some((*id, weight)),
            }));
        }
        candidates.sort_by_key(|candidate| candidate.id);
        candidates.dedup_by_key(|candidate| candidate.id);
        candidates
    }

    /// The other ends of a message's soft links at or above the threshold, in both directions.
    fn linked(&self, id: MessageId) -> impl Iterator<Item = (MessageId, f64)> {
        let threshold = self.config.assembly.link_threshold;
        let window = self.config.influence.window_messages as u64;
        let position = id.position();
        let earlier = self.history.message(id).into_iter();
        let earlier =
            earlier.flat_map(|m| m.influences.iter().map(|link| (link.from, link.weight)));
        let later = (1..=window).filter_map(move |step| {
            let other = MessageId::new(position.checked_add(step)?);
            let links = &self.history.message(other)?.influences;
            let link = links.iter().find(|link| link.from == id)?;
            Some((other, link.weight))
        });
        earlier
            .chain(later)
            .filter(move |(_, weight)| *weight >= threshold)
    }
}
