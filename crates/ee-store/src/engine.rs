//! The traits through which the engine keeps a store's vectors, and all it asks of a store at once.

use std::sync::Arc;

use km_core::Administrator;

use crate::{
    AuditStore, ConversationStore, GraphStore, KnowledgeStore, ReferenceStore, SourceCatalogue,
    StoreError, StoredUnit, ThreadStateStore, UnitKey,
};

/// The model behind the stored vectors, and how it is changed.
pub trait EmbeddingStore: Send + Sync {
    /// Tells this store from all others, for indexes that are kept in files of their own.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn store_id(&self) -> Result<String, StoreError>;

    /// The model behind the stored vectors, in the words of
    /// [`EmbeddingStore::set_fingerprint`].
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn fingerprint(&self) -> Result<Option<String>, StoreError>;

    /// States which model embeds for this store. A store without embeddings accepts any.
    ///
    /// # Errors
    /// [`StoreError::OtherModel`] when the stored vectors are another model's.
    fn set_fingerprint(&self, fingerprint: &str) -> Result<(), StoreError>;

    /// Units after the key `after`, by key, at most `limit`, with the hash of their embedded text.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    fn all_units(
        &self,
        capability: Administrator,
        after: UnitKey,
        limit: usize,
    ) -> Result<Vec<(StoredUnit, [u8; 32])>, StoreError>;

    /// Puts the vectors of another model in the place of all stored ones and states its
    /// fingerprint, in one transaction. Returns how many vectors were replaced.
    ///
    /// # Errors
    /// [`StoreError::EmbeddingsMissing`] when a stored unit got none; nothing is then changed.
    fn replace_embeddings(
        &self,
        capability: Administrator,
        fingerprint: &str,
        embeddings: &[([u8; 32], Arc<[f32]>)],
    ) -> Result<u64, StoreError>;

    /// Reads everything and checks that it is whole.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the first findings.
    fn check_integrity(&self, capability: Administrator) -> Result<(), StoreError>;
}

/// Everything that the engine asks of a store of knowledge.
pub trait EngineStore:
    KnowledgeStore + GraphStore + SourceCatalogue + EmbeddingStore + ReferenceStore
{
}

impl<S> EngineStore for S where
    S: KnowledgeStore + GraphStore + SourceCatalogue + EmbeddingStore + ReferenceStore
{
}

/// Everything that turns ask of a store: what was said, how it hangs together, what was decided.
pub trait TurnStore: ConversationStore + ThreadStateStore + AuditStore {}

impl<S> TurnStore for S where S: ConversationStore + ThreadStateStore + AuditStore {}

#[cfg(feature = "sqlite")]
impl EmbeddingStore for crate::SqliteStore {
    fn store_id(&self) -> Result<String, StoreError> {
        Self::store_id(self)
    }

    fn fingerprint(&self) -> Result<Option<String>, StoreError> {
        Self::fingerprint(self)
    }

    fn set_fingerprint(&self, fingerprint: &str) -> Result<(), StoreError> {
        Self::set_fingerprint(self, fingerprint)
    }

    fn all_units(
        &self,
        capability: Administrator,
        after: UnitKey,
        limit: usize,
    ) -> Result<Vec<(StoredUnit, [u8; 32])>, StoreError> {
        Self::all_units(self, capability, after, limit)
    }

    fn replace_embeddings(
        &self,
        capability: Administrator,
        fingerprint: &str,
        embeddings: &[([u8; 32], Arc<[f32]>)],
    ) -> Result<u64, StoreError> {
        Self::replace_embeddings(self, capability, fingerprint, embeddings)
    }

    fn check_integrity(&self, capability: Administrator) -> Result<(), StoreError> {
        Self::check_integrity(self, capability)
    }
}
