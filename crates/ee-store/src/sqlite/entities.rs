//! What units hold for.

use std::collections::BTreeSet;

use km_core::{Entity, Unit};
use roaring::RoaringTreemap;
use rusqlite::Connection;

use super::directory::View;
use crate::{StoreError, UnitKey};

/// Puts what the unit names in the place of what is stored for it.
pub(super) fn replace(
    connection: &Connection,
    key: UnitKey,
    unit: &Unit,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM unit_entities WHERE unit = ?1")?
        .execute([key as i64])?;
    insert(connection, key, unit)
}

/// Stores what the unit names, for one of which nothing is stored.
pub(super) fn insert(connection: &Connection, key: UnitKey, unit: &Unit) -> Result<(), StoreError> {
    let mut insert = connection
        .prepare_cached("INSERT INTO unit_entities (attribute, value, unit) VALUES (?1, ?2, ?3)")?;
    for entity in of_unit(unit) {
        insert.execute((entity.attribute, entity.value, key as i64))?;
    }
    Ok(())
}

/// What a unit's metadata and governance name.
fn of_unit(unit: &Unit) -> BTreeSet<Entity> {
    let metadata = &unit.metadata;
    let tiers = metadata.tier_rules.keys().map(|tier| Entity::tier(tier));
    Entity::all(&metadata.applies_to)
        .chain(Entity::all(&unit.governance.attributes))
        .chain(tiers)
        .collect()
}

/// The entities that units in `view` name, sorted.
pub(super) fn in_view(connection: &Connection, view: &View) -> Result<Vec<Entity>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT attribute, value, unit FROM unit_entities ORDER BY 1, 2")?;
    let mut rows = statement.query([])?;
    let mut found: Vec<Entity> = Vec::new();
    while let Some(row) = rows.next()? {
        let (attribute, value, unit): (String, String, i64) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        let entity = Entity { attribute, value };
        if view.contains(unit as u64) && found.last() != Some(&entity) {
            found.push(entity);
        }
    }
    Ok(found)
}

/// The units in `view` that name one of `entities`.
pub(super) fn units(
    connection: &Connection,
    entities: &[Entity],
    view: &View,
) -> Result<RoaringTreemap, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT unit FROM unit_entities WHERE attribute = ?1 AND value = ?2")?;
    let mut found = RoaringTreemap::new();
    for entity in entities {
        let mut rows = statement.query([&entity.attribute, &entity.value])?;
        while let Some(row) = rows.next()? {
            let unit: i64 = row.get(0)?;
            found.insert(unit as u64);
        }
    }
    found &= &*view.keys;
    Ok(found)
}
