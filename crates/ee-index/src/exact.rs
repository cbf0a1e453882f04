//! The index that compares with every vector.

use crate::collection::{Collection, Held};
use crate::{Filter, IndexError, Neighbour, VectorIndex};

/// Compares the query with every vector: no loss, time linear in the collection.
pub struct ExactIndex {
    dimension: usize,
    collection: Collection,
}

impl ExactIndex {
    /// An empty index of vectors of `dimension` components.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            collection: Collection::new(dimension, None),
        }
    }
}

impl VectorIndex for ExactIndex {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn len(&self) -> usize {
        self.collection.read().vectors.len()
    }

    fn upsert(&self, entries: &[(u64, &[f32])]) -> Result<(), IndexError> {
        self.collection.upsert(entries, &Held::successor)
    }

    fn remove(&self, keys: &[u64]) {
        self.collection.remove(keys, &Held::successor);
    }

    fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Result<Vec<Neighbour>, IndexError> {
        self.collection.search(query, k, filter)
    }

    fn cosines(&self, query: &[f32], keys: &[u64]) -> Result<Vec<Option<f32>>, IndexError> {
        self.collection.cosines(query, keys)
    }
}
