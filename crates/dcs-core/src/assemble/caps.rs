//! The caps of a selection: messages, tokens, and messages per line of work.

use std::collections::BTreeMap;

use crate::assemble::Scored;
use crate::{Conversation, DcnId, MessageId, Query};

impl Conversation {
    /// Puts what was found before the rest, until its share of messages or tokens is used up.
    pub(super) fn found_first<'a>(
        &self,
        query: &Query<'_>,
        scored: Vec<Scored<'a>>,
    ) -> Vec<Scored<'a>> {
        let share = self.config.assembly.found_share;
        let most = (share * query.max_messages as f64) as usize;
        let mut tokens = (share * query.max_tokens as f64) as u64;
        let mut places: BTreeMap<MessageId, usize> = BTreeMap::new();
        for (id, _) in query.found {
            let record = self.history.message(*id);
            let cost = record.map_or(u64::MAX, |record| u64::from(record.tokens));
            if places.len() < most && cost <= tokens && !places.contains_key(id) {
                tokens -= cost;
                places.insert(*id, places.len());
            }
        }
        let mut ordered = scored;
        ordered.sort_by_key(|one| places.get(&one.id()).copied().unwrap_or(usize::MAX));
        ordered
    }

    /// Takes messages by score as long as no cap is exceeded; a message that does not fit the
    /// budget is passed over.
    pub(super) fn within_caps<'a>(
        &self,
        query: &Query<'_>,
        scored: Vec<Scored<'a>>,
    ) -> Vec<Scored<'a>> {
        let mut per_dcn: BTreeMap<DcnId, usize> = BTreeMap::new();
        let mut tokens = 0_u64;
        let mut kept = Vec::new();
        for selected in scored {
            if kept.len() >= query.max_messages {
                break;
            }
            let message = selected.evidence.record;
            let cost = tokens.saturating_add(u64::from(message.tokens));
            let cap = self.config.assembly.max_per_dcn;
            let dcns = &message.key.dcns;
            let full = |dcn: &DcnId| per_dcn.get(dcn).is_some_and(|count| *count >= cap);
            if cost > query.max_tokens || dcns.iter().any(full) {
                continue;
            }
            tokens = cost;
            for dcn in dcns {
                *per_dcn.entry(*dcn).or_default() += 1;
            }
            kept.push(selected);
        }
        kept
    }
}
