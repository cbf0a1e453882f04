//! The best documents among those that may be returned.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use tantivy::query::Weight;
use tantivy::{Score, SegmentReader};

use super::schema::KEY_COLUMN;
use crate::{TextHit, UnitKey};

/// Keeps the `k` best admitted units over all segments; ties go to the smaller key.
///
/// The filter runs while documents are collected, so that `k` come back when `k` match, and the
/// worst score kept lets the query skip blocks of documents that cannot beat it.
pub(super) struct TopAdmitted<'a> {
    k: usize,
    admit: &'a (dyn Fn(UnitKey) -> bool + Sync),
    best: BinaryHeap<Reverse<Ranked>>,
}

impl<'a> TopAdmitted<'a> {
    pub(super) fn new(k: usize, admit: &'a (dyn Fn(UnitKey) -> bool + Sync)) -> Self {
        Self {
            k,
            admit,
            best: BinaryHeap::new(),
        }
    }

    pub(super) fn collect(
        &mut self,
        weight: &dyn Weight,
        segment: &SegmentReader,
    ) -> tantivy::Result<()> {
        let keys = segment.fast_fields().u64(KEY_COLUMN)?;
        let alive = segment.alive_bitset();
        weight.for_each_pruning(self.threshold(), segment, &mut |document, score| {
            if alive.is_none_or(|alive| alive.is_alive(document))
                && let Some(key) = keys.first(document)
            {
                self.offer(Ranked { score, key });
            }
            self.threshold()
        })
    }

    pub(super) fn into_hits(self) -> Vec<TextHit> {
        let ranked = self.best.into_sorted_vec();
        let hits = ranked.into_iter().map(|Reverse(ranked)| TextHit {
            key: ranked.key,
            bm25: ranked.score,
        });
        hits.collect()
    }

    fn offer(&mut self, candidate: Ranked) {
        let full = self.best.len() >= self.k;
        let beaten = full
            && self
                .best
                .peek()
                .is_some_and(|Reverse(worst)| *worst >= candidate);
        if beaten || !(self.admit)(candidate.key) {
            return;
        }
        if full {
            self.best.pop();
        }
        self.best.push(Reverse(candidate));
    }

    /// Documents that score above this are worth a look. Just below the worst score kept, for a
    /// tie with a smaller key still enters.
    fn threshold(&self) -> Score {
        match self.best.peek() {
            Some(Reverse(worst)) if self.best.len() >= self.k => worst.score.next_down(),
            _ => Score::MIN,
        }
    }
}

/// A unit with its score; the better one is the greater.
#[derive(Clone, Copy)]
struct Ranked {
    score: Score,
    key: UnitKey,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.key.cmp(&self.key))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}
