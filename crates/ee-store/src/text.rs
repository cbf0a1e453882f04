//! The trait of a full-text index that follows the store.

use crate::{ChangeBatch, Sequence, StoreError, TermStatistics, UnitKey};

/// Full text over units, ranked by BM25. The query is plain text: no character of it is syntax,
/// and its terms are OR-joined.
pub trait TextIndex: TermStatistics {
    /// The sequence number up to which the index has followed the store.
    ///
    /// # Errors
    /// [`StoreError`] when the index cannot be read.
    fn sequence(&self) -> Result<Sequence, StoreError>;

    /// Applies a batch and records what it reached, durably and at once. An index that already
    /// stands at `reached`, or before `since`, because another process wrote meanwhile, is left
    /// as it is: ask [`TextIndex::sequence`] again and go on from there, as [`crate::follow`] does.
    ///
    /// # Errors
    /// [`StoreError`] when the index cannot be written; it then stands where it stood.
    fn apply(&self, batch: &ChangeBatch) -> Result<(), StoreError>;

    /// Empties the index, which then stands at 0.
    ///
    /// # Errors
    /// [`StoreError`] when the index cannot be written; it then stands where it stood.
    fn clear(&self) -> Result<(), StoreError>;

    /// The `k` best units among those that `admit` lets through, best first.
    ///
    /// # Errors
    /// [`StoreError`] when the index cannot be read.
    fn search(
        &self,
        query: &str,
        k: usize,
        admit: &(dyn Fn(UnitKey) -> bool + Sync),
    ) -> Result<Vec<TextHit>, StoreError>;
}

/// A unit and how well it matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextHit {
    /// The unit's row number.
    pub key: UnitKey,
    /// BM25: at least 0, unbounded, comparable within one query only.
    pub bm25: f32,
}
