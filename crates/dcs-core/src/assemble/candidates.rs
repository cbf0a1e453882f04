//! The messages that may be selected for a query; their number does not grow with the history.

use std::collections::BTreeMap;

use crate::assemble::Prepared;
use crate::{Conversation, DcnId, MessageId};

/// Lines of work whose messages are candidates beside that of the winner.
const LIKELY_LINES: usize = 8;

/// Candidates, each with the soft link that brought it in, if one did.
pub(super) type Candidates = BTreeMap<MessageId, Option<(MessageId, f64)>>;

impl Conversation {
    /// The lines of work that the query most likely continues.
    fn likely_lines(prepared: &Prepared<'_>) -> Vec<DcnId> {
        let likely = prepared.ranking.candidates.iter().take(LIKELY_LINES);
        likely.map(|ranked| ranked.dcn).collect()
    }

    /// Candidates from the identifier index, widened by one step along soft links; each with the
    /// link that brought it in, if one did.
    pub(super) fn selection_candidates(&self, prepared: &Prepared<'_>) -> Candidates {
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
        let mut found = BTreeMap::new();
        for entry in entries {
            found.extend(entry.iter().rev().take(per_entry).map(|id| (*id, None)));
        }
        found.extend(prepared.certain.map(|id| (id, None)));
        let known = self.history.next_id();
        let searched = prepared.found.iter().map(|(id, _)| *id);
        found.extend(searched.filter(|id| *id < known).map(|id| (id, None)));
        for id in found.keys().copied().collect::<Vec<_>>() {
            for (other, weight) in self.linked(id) {
                found.entry(other).or_insert(Some((id, weight)));
            }
        }
        found
    }

    /// The other ends of a message's soft links at or above the threshold, in both directions.
    fn linked(&self, id: MessageId) -> Vec<(MessageId, f64)> {
        let threshold = self.config.assembly.link_threshold;
        let window = self.config.influence.window_messages as u64;
        let position = id.position();
        let earlier = self.history.message(id).into_iter();
        let earlier =
            earlier.flat_map(|m| m.influences.iter().map(|link| (link.from, link.weight)));
        let later = (1..=window).filter_map(|step| {
            let other = MessageId::new(position.checked_add(step)?);
            let links = &self.history.message(other)?.influences;
            let link = links.iter().find(|link| link.from == id)?;
            Some((other, link.weight))
        });
        earlier
            .chain(later)
            .filter(|(_, weight)| *weight >= threshold)
            .collect()
    }
}
