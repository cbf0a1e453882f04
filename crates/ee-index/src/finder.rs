//! What an index needs of a structure that finds near vectors without comparing with all.

use std::ops::Range;

use crate::vectors::{Slot, Vectors};
use crate::{Filter, Neighbour};

/// Finds near vectors of a collection. Slots are those of its [`Vectors`]; it sees every change.
pub(crate) trait Finder: Send + Sync {
    /// Vectors entered in the slots after the last, in their order.
    fn add(&mut self, vectors: &Vectors, slots: Range<Slot>);

    /// A slot has another vector now.
    fn replace(&mut self, vectors: &Vectors, slot: Slot);

    /// A slot's vector is gone and the last one moved into it.
    fn swap_remove(&mut self, slot: Slot);

    /// A finder of the same vectors to take this one's place, when changes have made one due.
    /// Making it may take seconds, in which this one goes on searching.
    fn successor(&self, _vectors: &Vectors) -> Option<Box<dyn Finder>> {
        None
    }

    /// What [`AdaptiveIndex::save`](crate::AdaptiveIndex::save) keeps, so that a start need not
    /// build the finder again; empty if nothing is.
    fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Bytes of memory that the finder takes.
    fn bytes(&self) -> usize;

    /// The nearest among those that the filter admits, best first: `k` of them when `k` match.
    fn search(
        &self,
        vectors: &Vectors,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<Neighbour>;
}
