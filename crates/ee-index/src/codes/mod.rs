//! Locality-sensitive hashing by sign codes in partitions.
//!
//! A vector's code is the signs of its randomly rotated difference from the centre of its
//! partition (`rotation`, `centres`, `code`). A query looks at the partitions that may hold one of
//! its nearest, estimates the cosine to every vector in them from the codes alone (`query`,
//! `partition`), and compares exactly with the few best (`nearest_estimates`, `search`). The
//! estimate is that of Gao, Long, "`RaBitQ`:
//! quantizing high-dimensional vectors with a theoretical error bound for approximate nearest
//! neighbor search" (SIGMOD 2024): unbiased over the random rotation. Partitions split in two when
//! they have grown too large (`split`), as in Xu et al., "`SPFresh`: incremental in-place update for
//! billion-scale vector search" (SOSP 2023), so that nothing is trained in advance. How far a
//! search looks is measured on the collection itself (`measure`, `calibration`).

mod bytes;
mod calibration;
mod centres;
mod code;
mod finder;
mod measure;
mod nearest_estimates;
mod partition;
mod query;
mod refine;
mod rotation;
mod search;
mod split;
mod stored;

use crate::collection::{Collection, Held};
use crate::{Filter, IndexConfig, IndexError, Neighbour, VectorIndex};
pub(crate) use finder::CodedPartitions;
pub(crate) use stored::KeptPartitions;

/// Estimates cosines from sign codes of a part of the collection and compares the best exactly.
///
/// Approximate: it finds the share of the true neighbours that [`IndexConfig::recall`] asks for,
/// as measured on its own vectors. A filtered search returns `k` when `k` match.
pub struct LshIndex {
    dimension: usize,
    collection: Collection,
}

impl LshIndex {
    /// An empty index of vectors of `dimension` components.
    ///
    /// # Errors
    /// [`IndexError::Setting`] for a setting outside its range.
    pub fn new(dimension: usize, config: &IndexConfig) -> Result<Self, IndexError> {
        config.validate()?;
        let finder = Box::new(CodedPartitions::new(dimension, config));
        Ok(Self {
            dimension,
            collection: Collection::new(dimension, Some(finder)),
        })
    }

    /// Bytes of memory that the index takes beside the vectors themselves.
    pub fn bytes_beside_vectors(&self) -> usize {
        self.collection.bytes_beside_vectors()
    }
}

impl VectorIndex for LshIndex {
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
