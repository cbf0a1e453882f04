//! The trait through which texts that name other sources become links.

use km_core::Administrator;

use crate::{SourceWrite, StoreError, TenantSource};

/// Which sources name others, and a source as it could be written again.
pub trait ReferenceStore: Send + Sync {
    /// Every source that names others, with the distinct names: those of
    /// [`km_core::UnitMetadata::references`] and [`km_core::UnitMetadata::tier_rules`] of its
    /// units, and of the sources that it supersedes.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn referring_sources(
        &self,
        capability: Administrator,
    ) -> Result<Vec<(TenantSource, Vec<String>)>, StoreError>;

    /// The record that would write this source again as it stands, without embeddings, for those
    /// are stored; absent when there is no such source.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn stored_source(
        &self,
        capability: Administrator,
        source: &TenantSource,
    ) -> Result<Option<SourceWrite>, StoreError>;
}
