//! The graph of units and entities, for SQLite.

use std::sync::Arc;

use km_core::{AccessScope, Entity, Link, UnitId};
use rusqlite::{Connection, OptionalExtension};

use super::{SqliteStore, entities, links, units};
use crate::{GraphStore, StoreError, StoredUnit, UnitKey, VisibleUnits};

impl GraphStore for SqliteStore {
    fn entities(&self, scope: &AccessScope) -> Result<Vec<Entity>, StoreError> {
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            if let Some(known) = view.entities.get() {
                return Ok(known.clone());
            }
            let found = entities::in_view(connection, &view)?;
            Ok(view.entities.get_or_init(|| found).clone())
        })
    }

    fn units_of_entities(
        &self,
        scope: &AccessScope,
        entities: &[Entity],
    ) -> Result<VisibleUnits, StoreError> {
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            let found = entities::units(connection, entities, &view)?;
            Ok(VisibleUnits::Only(Arc::new(found)))
        })
    }

    fn links_of(
        &self,
        scope: &AccessScope,
        units: &[UnitId],
    ) -> Result<Vec<Vec<Link>>, StoreError> {
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            let of = |unit: &UnitId| {
                let key = key_of(connection, *unit)?.filter(|key| view.contains(*key));
                let links = key.map(|key| links::visible_of_unit(connection, key, &view));
                let links = links.transpose()?.unwrap_or_default();
                Ok(links.into_iter().map(|(link, _)| link).collect())
            };
            units.iter().map(of).collect()
        })
    }

    fn units_by_id(
        &self,
        scope: &AccessScope,
        units: &[UnitId],
    ) -> Result<Vec<StoredUnit>, StoreError> {
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            let mut found = Vec::with_capacity(units.len());
            for unit in units {
                if let Some(key) = key_of(connection, *unit)? {
                    found.extend(units::in_view(connection, key, &view)?);
                }
            }
            Ok(found)
        })
    }
}

fn key_of(connection: &Connection, unit: UnitId) -> Result<Option<UnitKey>, StoreError> {
    let key: Option<i64> = connection
        .prepare_cached("SELECT key FROM units WHERE id = ?1")?
        .query_row([unit.as_bytes().as_slice()], |row| row.get(0))
        .optional()?;
    Ok(key.map(|key| key as UnitKey))
}
