//! The trait through which ingestion asks what a store already holds.

use std::collections::HashSet;

use km_core::{Administrator, Governance, SourceId};

use crate::{StoreError, UnitKey};

/// What is there, for ingestion and maintenance; it sees everything, hence the capability.
pub trait SourceCatalogue: Send + Sync {
    /// The state of each source, in the order given; absent where the store does not hold it.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn source_states(
        &self,
        capability: Administrator,
        sources: &[SourceId],
    ) -> Result<Vec<Option<SourceState>>, StoreError>;

    /// Every source, by name, with the folder it was found under.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn sources(
        &self,
        capability: Administrator,
    ) -> Result<Vec<(SourceId, Option<String>)>, StoreError>;

    /// Those of `hashes` (SHA-256 of embedded text) for which an embedding is stored.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn known_embeddings(&self, hashes: &[[u8; 32]]) -> Result<HashSet<[u8; 32]>, StoreError>;

    /// Removes sources whoever owns them, each in a transaction of its own; returns the number of
    /// units that went.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn drop_sources(
        &self,
        capability: Administrator,
        sources: &[SourceId],
    ) -> Result<usize, StoreError>;

    /// The keys of all units after `after`, ascending, at most `limit`; start with 0.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn unit_keys(
        &self,
        capability: Administrator,
        after: UnitKey,
        limit: usize,
    ) -> Result<Vec<UnitKey>, StoreError>;
}

/// What the store knows of a source as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// SHA-256 of the original bytes, lower-case hexadecimal.
    pub content_sha256: String,
    /// See [`crate::SourceWrite::recipe_sha256`].
    pub recipe_sha256: String,
    /// See [`crate::SourceWrite::root`].
    pub root: Option<String>,
    /// Governance of the source as a whole.
    pub governance: Governance,
    /// How many units it has.
    pub units: usize,
}
