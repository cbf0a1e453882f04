//! What an index needs of a structure that finds near vectors without comparing with all.

use crate::vectors::{Slot, Vectors};
use crate::{Filter, Neighbour};

/// Finds near vectors of a collection. Slots are those of its [`Vectors`]; it sees every change.
pub(crate) trait Finder: Send + Sync {
    /// A vector entered in the slot after the last.
    fn add(&mut self, vector: &[f32]);

    /// A slot has another vector now.
    fn replace(&mut self, slot: Slot, vector: &[f32]);

    /// A slot's vector is gone and the last one moved into it.
    fn swap_remove(&mut self, slot: Slot);

    /// The nearest among those that the filter admits, best first: `k` of them when `k` match.
    fn search(
        &self,
        vectors: &Vectors,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<Neighbour>;
}
