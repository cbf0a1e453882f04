//! What an index needs of a structure that finds near vectors without comparing with all.

use crate::vectors::{Slot, Vectors};
use crate::{Filter, Neighbour};

/// Finds near vectors of a collection. Slots are those of its [`Vectors`]; it sees every change.
pub(crate) trait Finder: Send + Sync {
    /// A vector entered in the slot after the last.
    fn add(&mut self, vectors: &Vectors, slot: Slot);

    /// A slot has another vector now.
    fn replace(&mut self, vectors: &Vectors, slot: Slot);

    /// A slot's vector is gone and the last one moved into it.
    fn swap_remove(&mut self, slot: Slot);

    /// A batch of changes is complete.
    fn settle(&mut self, _vectors: &Vectors) {}

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
