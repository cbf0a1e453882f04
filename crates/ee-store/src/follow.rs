//! Bringing a text index in step with the store.

use km_core::Administrator;

use crate::{KnowledgeStore, Sequence, StoreError, TextIndex};

/// Changes per step: bounds the memory that following takes.
const CHANGES_PER_STEP: usize = 16_384;

/// Applies to `index` what `store` committed since, until both stand at the same sequence number,
/// which is returned. An index that cannot catch up is emptied and filled again.
///
/// # Errors
/// [`StoreError`] when the store cannot be read or the index cannot be written.
pub fn follow(
    store: &dyn KnowledgeStore,
    index: &dyn TextIndex,
    capability: Administrator,
) -> Result<Sequence, StoreError> {
    loop {
        let since = index.sequence()?;
        match store.changes_since(capability, since, CHANGES_PER_STEP) {
            Ok(batch) if batch.reached == since && batch.changes.is_empty() => return Ok(since),
            Ok(batch) => index.apply(&batch)?,
            Err(StoreError::ChangesPruned { .. } | StoreError::IndexAhead { .. }) => {
                tracing::info!(since, "the text index cannot catch up and is rebuilt");
                index.clear()?;
            }
            Err(error) => return Err(error),
        }
    }
}
