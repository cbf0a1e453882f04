//! The trait through which ingestion asks what a store already holds.

use std::collections::HashSet;

use km_core::{Administrator, Governance, SourceId};

use crate::StoreError;

/// What is there, for ingestion and maintenance; it sees everything, hence the capability.
pub trait SourceCatalogue: Send + Sync {
    /// What is stored under each of these names, in no particular order: a name that several
    /// tenants use comes several times, an unknown one not at all.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn source_states(
        &self,
        capability: Administrator,
        sources: &[SourceId],
    ) -> Result<Vec<SourceState>, StoreError>;

    /// Every source by name and tenant, with the registered folder it was found under.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn source_roots(
        &self,
        capability: Administrator,
    ) -> Result<Vec<(TenantSource, Option<String>)>, StoreError>;

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
        sources: &[TenantSource],
    ) -> Result<usize, StoreError>;
}

/// What identifies a stored source: each tenant has names of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TenantSource {
    /// The tenant that owns it; absent for a common source.
    pub tenant: Option<String>,
    /// Its name.
    pub source: SourceId,
}

/// What the store knows of a source as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// Its name.
    pub source: SourceId,
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
