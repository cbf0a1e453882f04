//! The trait of a knowledge store, for SQLite.

use km_core::{AccessScope, Administrator, SourceId};

use super::{SqliteStore, changes, replace, sources, units};
use crate::{
    ChangeBatch, KnowledgeStore, Sequence, SourceChange, SourceWrite, StoreError, StoredUnit,
    UnitKey, VisibleUnits,
};

impl KnowledgeStore for SqliteStore {
    fn replace_sources(&self, sources: &[SourceWrite]) -> Result<Vec<SourceChange>, StoreError> {
        let remembered = self.config.remembered_changes;
        self.write(|transaction| {
            let replaced = sources
                .iter()
                .map(|source| replace::replace(transaction, source, remembered));
            replaced.collect()
        })
    }

    fn remove_source(&self, scope: &AccessScope, source: &SourceId) -> Result<bool, StoreError> {
        let remembered = self.config.remembered_changes;
        self.write(|transaction| {
            let Some(key) = sources::removable(transaction, &scope.identity, source)? else {
                return Ok(false);
            };
            replace::remove(transaction, key, remembered)?;
            Ok(true)
        })
    }

    fn visible(&self, scope: &AccessScope) -> Result<VisibleUnits, StoreError> {
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            Ok(VisibleUnits::Only(view.keys.clone()))
        })
    }

    fn units(&self, scope: &AccessScope, keys: &[UnitKey]) -> Result<Vec<StoredUnit>, StoreError> {
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            keys.iter()
                .filter_map(|key| units::in_view(connection, *key, &view).transpose())
                .collect()
        })
    }

    fn changes_since(
        &self,
        _capability: Administrator,
        since: Sequence,
        limit: usize,
    ) -> Result<ChangeBatch, StoreError> {
        self.read(|connection| changes::since(connection, since, limit))
    }
}
