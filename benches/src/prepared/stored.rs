//! Every vector of a store.

use std::sync::Arc;

use anyhow::Result;
use ee_store::{Change, KnowledgeStore, SqliteStore, UnitKey};
use km_core::Administrator;

/// Changes read from the store at once.
const CHANGES_PER_READ: usize = 10_000;

/// Every stored vector with the key of its unit.
///
/// # Errors
/// When the store cannot be read.
pub fn stored_vectors(store: &SqliteStore) -> Result<Vec<(UnitKey, Arc<[f32]>)>> {
    let mut stored = Vec::new();
    let mut since = 0;
    loop {
        let batch = store.changes_since(Administrator::assume(), since, CHANGES_PER_READ)?;
        stored.extend(batch.changes.into_iter().filter_map(added));
        since = batch.reached;
        if !batch.more {
            return Ok(stored);
        }
    }
}

fn added(change: Change) -> Option<(UnitKey, Arc<[f32]>)> {
    match change {
        Change::Added { key, embedding, .. } => Some((key, embedding)),
        Change::Removed { .. } => None,
    }
}
