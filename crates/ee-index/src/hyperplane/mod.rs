//! Locality-sensitive hashing by random hyperplanes, with query-directed probing.
//!
//! Charikar, "Similarity estimation techniques from rounding algorithms" (STOC 2002): the signs of
//! a vector's products with random hyperplanes agree with another's the more often the smaller the
//! angle. Several signs make the bucket number in a hash table; several tables make up for the
//! neighbours that one misses.

mod planes;
mod probes;
mod tables;

use crate::collection::{Collection, Held};
use crate::{Filter, IndexConfig, IndexError, Neighbour, VectorIndex};
pub(crate) use tables::HashTables;

/// Looks up candidates in hash tables and compares the query with those only.
///
/// Approximate: with the default settings at least nine of the ten nearest are found on
/// embeddings of real text. A filtered search that finds too few candidates compares with every
/// admitted vector instead.
pub struct HyperplaneLsh {
    dimension: usize,
    collection: Collection,
}

impl HyperplaneLsh {
    /// An empty index of vectors of `dimension` components.
    ///
    /// # Errors
    /// [`IndexError::Setting`] for a setting outside its range.
    pub fn new(dimension: usize, config: &IndexConfig) -> Result<Self, IndexError> {
        config.validate()?;
        let tables = Box::new(HashTables::new(dimension, config));
        Ok(Self {
            dimension,
            collection: Collection::new(dimension, Some(tables)),
        })
    }
}

impl VectorIndex for HyperplaneLsh {
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
