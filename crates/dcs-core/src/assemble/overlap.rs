//! The terms that a message shares with a query, and with the messages that the query most likely
//! links to, counted in one pass over the message's terms.

use rustc_hash::FxHashMap;

use crate::assemble::Prepared;
use crate::terms::TermHash;
use crate::{Conversation, MessageRecord, TermSet};

/// Messages that the query most likely links to, for the evidence of one hop; at most 8.
pub(super) const HOPS: usize = 6;

/// The terms of a query and of the messages that it most likely links to.
pub(super) struct QueryTerms<'a> {
    terms: FxHashMap<TermHash, Use>,
    /// Sum of the weights of the query's terms.
    total: f64,
    /// The messages that the query most likely links to, with their probabilities.
    pub(super) hops: Vec<(&'a MessageRecord, f64)>,
}

/// Where a term stands.
#[derive(Clone, Copy, Default)]
struct Use {
    /// Its weight in the query, 0 when it is not there.
    weight: f64,
    /// One bit for each message that the query most likely links to.
    hops: u8,
}

/// What a message shares.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Overlap {
    /// Weight of the query's terms that the message knows, as a share of all.
    pub(super) share: f64,
    /// Sum of the squared weights.
    pub(super) squares: f64,
    /// Number of terms in common with each message that the query most likely links to.
    pub(super) common: [u32; HOPS],
}

impl QueryTerms<'_> {
    /// What a message with these terms shares.
    pub(super) fn overlap(&self, terms: &TermSet) -> Overlap {
        let mut overlap = Overlap::default();
        let mut sum = 0.0;
        for used in terms.iter().filter_map(|term| self.terms.get(&term)) {
            sum += used.weight;
            overlap.squares += used.weight * used.weight;
            for (hop, count) in overlap.common.iter_mut().enumerate() {
                *count += u32::from(used.hops >> hop & 1);
            }
        }
        overlap.share = sum / self.total.max(1e-9);
        overlap
    }
}

impl Conversation {
    /// The query's terms by rarity, and those of the messages that it most likely links to.
    pub(super) fn query_terms(&self, prepared: &Prepared<'_>) -> QueryTerms<'_> {
        let messages = self.history.len() as f64 + 1.0;
        let mut terms: FxHashMap<TermHash, Use> = FxHashMap::default();
        let mut total = 0.0;
        for term in prepared.draft.terms.iter() {
            let seen = self.history.with_term(term).len() as f64;
            let weight = (messages / (seen + 0.3)).ln_1p();
            total += weight;
            terms.entry(term).or_default().weight = weight;
        }
        let links = prepared.ranking.links.iter().take(HOPS);
        let links = links.filter_map(|(id, share)| Some((self.history.message(*id)?, *share)));
        let hops: Vec<(&MessageRecord, f64)> = links.collect();
        for (hop, (record, _)) in hops.iter().enumerate() {
            for term in record.terms.iter() {
                terms.entry(term).or_default().hops |= 1 << hop;
            }
        }
        QueryTerms { terms, total, hops }
    }
}
