//! The trait that every index implements.

use crate::IndexError;

/// Decides which keys a search may return. Called from the searching thread, possibly many times.
pub type Filter<'a> = &'a (dyn Fn(u64) -> bool + Sync);

/// A collection of unit-length vectors under `u64` keys that answers nearest-neighbour queries.
///
/// Vectors are compared by inner product, which is the cosine for unit-length input; the all-zero
/// vector is allowed and has cosine 0 with everything. Reading and writing take `&self`: an index
/// may be searched from many threads while one writes.
pub trait VectorIndex: Send + Sync {
    /// Length of the vectors.
    fn dimension(&self) -> usize;

    /// How many vectors are held.
    fn len(&self) -> usize;

    /// Whether no vector is held.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds vectors; a key that is present is replaced.
    ///
    /// # Errors
    /// [`IndexError::Dimension`] or [`IndexError::NotFinite`]; nothing is then changed.
    fn upsert(&self, entries: &[(u64, &[f32])]) -> Result<(), IndexError>;

    /// Removes keys; absent ones are ignored.
    fn remove(&self, keys: &[u64]);

    /// The `k` nearest keys among those that `filter` admits (all without one), best first, ties
    /// by smaller key. Fewer only when fewer than `k` match.
    ///
    /// # Errors
    /// [`IndexError::Dimension`] or [`IndexError::NotFinite`] on a bad query.
    fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Result<Vec<Neighbour>, IndexError>;

    /// The cosine of the query to each of `keys`, in the order given; absent for a key that is
    /// not held.
    ///
    /// # Errors
    /// [`IndexError::Dimension`] or [`IndexError::NotFinite`] on a bad query.
    fn cosines(&self, query: &[f32], keys: &[u64]) -> Result<Vec<Option<f32>>, IndexError> {
        let wanted: std::collections::BTreeSet<u64> = keys.iter().copied().collect();
        let found = self.search(query, wanted.len(), Some(&|key| wanted.contains(&key)))?;
        let by_key: std::collections::BTreeMap<u64, f32> =
            found.iter().map(|near| (near.key, near.cosine)).collect();
        Ok(keys.iter().map(|key| by_key.get(key).copied()).collect())
    }
}

/// A key and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The key given at insertion.
    pub key: u64,
    /// Cosine to the query, in −1 to 1.
    pub cosine: f32,
}
