//! The trait of a store of knowledge, and the records that cross it.

use std::sync::Arc;

use km_core::{AccessScope, Administrator, Governance, SourceId, Unit, UnitId};
use roaring::RoaringTreemap;

use crate::StoreError;

/// A unit's row number. Never reused, so that an index that lags behind cannot confuse two units.
pub type UnitKey = u64;

/// Counts committed changes to units; it only grows.
pub type Sequence = u64;

/// Units by source, read under a scope, followed by sequence number.
pub trait KnowledgeStore: Send + Sync {
    /// Replaces everything that each of these sources holds, all in one transaction. Units whose
    /// id is present keep their row and embedding; new ones are added; vanished ones are removed.
    /// One change for each source, in the order given.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses; nothing is then changed.
    fn replace_sources(&self, sources: &[SourceWrite]) -> Result<Vec<SourceChange>, StoreError>;

    /// [`KnowledgeStore::replace_sources`] for one source.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses; nothing is then changed.
    fn replace_source(&self, source: &SourceWrite) -> Result<SourceChange, StoreError> {
        let changes = self.replace_sources(std::slice::from_ref(source))?;
        Ok(changes.into_iter().next().unwrap_or_default())
    }

    /// Removes a source that the scope may see. `false` when there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn remove_source(&self, scope: &AccessScope, source: &SourceId) -> Result<bool, StoreError>;

    /// The units that exist for `scope`: the plain rule, validity, supersedes and authority per
    /// domain all resolved. Cheap when nothing changed since the last call with a like scope.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn visible(&self, scope: &AccessScope) -> Result<VisibleUnits, StoreError>;

    /// Units by key, in the order of `keys`; those the scope may not see are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn units(&self, scope: &AccessScope, keys: &[UnitKey]) -> Result<Vec<StoredUnit>, StoreError>;

    /// What happened after `since`, oldest first, at most `limit` entries; for indexes. From 0 the
    /// whole content is listed. A unit may be reported as added again: it then replaces what the
    /// index holds under its key.
    ///
    /// # Errors
    /// [`StoreError::ChangesPruned`] or [`StoreError::IndexAhead`] when the index must be emptied
    /// and follow from 0; otherwise when the database refuses.
    fn changes_since(
        &self,
        capability: Administrator,
        since: Sequence,
        limit: usize,
    ) -> Result<ChangeBatch, StoreError>;
}

/// A source as ingestion hands it over.
#[derive(Debug, Clone)]
pub struct SourceWrite {
    /// The source's name.
    pub source: SourceId,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Governance of the source as a whole.
    pub governance: Governance,
    /// SHA-256 of the original bytes, lower-case hexadecimal.
    pub content_sha256: String,
    /// What the units were made with beside the bytes: a digest of settings and given governance,
    /// opaque to the store. Equal bytes with an equal recipe need not be parsed again.
    pub recipe_sha256: String,
    /// The registered folder that the source was found under; absent for one handed over in
    /// memory.
    pub root: Option<String>,
    /// The units in reading order.
    pub units: Vec<UnitWrite>,
}

/// A unit to store with its embedding.
#[derive(Debug, Clone)]
pub struct UnitWrite {
    /// The unit.
    pub unit: Unit,
    /// SHA-256 of the text that was embedded; equal hashes share one stored embedding.
    pub embedded_sha256: [u8; 32],
    /// The embedding, or absent when the store already holds one for this hash.
    pub embedding: Option<Arc<[f32]>>,
}

/// What a replacement did, counted in units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// Units that were not there before.
    pub added: usize,
    /// Units that stayed as they were.
    pub unchanged: usize,
    /// Units that are gone.
    pub removed: usize,
    /// Whether the source existed before.
    pub existed: bool,
}

/// A stored unit with its row number and the tag of its stored embedding.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredUnit {
    /// Row number, the key in every index.
    pub key: UnitKey,
    /// The unit.
    pub unit: Unit,
    /// SHA-256 of the stored embedding's little-endian `f32` bytes, lower-case hexadecimal; a tag
    /// is its first 8, 12 or 16 digits.
    pub embedding_sha256: String,
}

/// The keys a scope may see; cheap to clone.
#[derive(Debug, Clone)]
pub enum VisibleUnits {
    /// Every unit in the store.
    All,
    /// Only these.
    Only(Arc<RoaringTreemap>),
}

impl VisibleUnits {
    /// Whether the scope may see the unit of this key.
    pub fn contains(&self, key: UnitKey) -> bool {
        match self {
            Self::All => true,
            Self::Only(keys) => keys.contains(key),
        }
    }
}

/// One committed change to a unit, for an index.
#[derive(Debug, Clone)]
pub enum Change {
    /// The unit is now there.
    Added {
        /// Its row number.
        key: UnitKey,
        /// Its id.
        id: UnitId,
        /// The text for full-text search: title, section path and content.
        text: String,
        /// The stored embedding.
        embedding: Arc<[f32]>,
    },
    /// The unit is gone.
    Removed {
        /// The row number it had.
        key: UnitKey,
    },
}

/// Some changes and the sequence number that they lead to.
#[derive(Debug, Clone)]
pub struct ChangeBatch {
    /// The sequence number that the changes start after.
    pub since: Sequence,
    /// Oldest first.
    pub changes: Vec<Change>,
    /// Where an index stands after applying them.
    pub reached: Sequence,
    /// Whether more follow.
    pub more: bool,
}
