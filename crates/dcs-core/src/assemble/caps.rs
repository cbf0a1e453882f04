//! The caps of a selection: messages, tokens, and messages per line of work.

use std::collections::BTreeMap;

use crate::assemble::Scored;
use crate::{Conversation, DcnId, Query};

impl Conversation {
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
