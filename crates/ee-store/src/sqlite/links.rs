//! Typed edges between units.

use km_core::Link;
use rusqlite::{Connection, params};

use super::directory::View;
use super::error::unreadable;
use super::units::unit_id;
use crate::{StoreError, UnitKey};

/// The stored links of a unit, wherever they lead.
pub(super) fn of_unit(connection: &Connection, unit: UnitKey) -> Result<Vec<Link>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT kind, target FROM links WHERE unit = ?1 ORDER BY ordinal")?;
    let mut rows = statement.query([unit as i64])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        links.push(read(row)?);
    }
    Ok(links)
}

/// The links of a unit whose targets are in `view`, with their targets' keys.
pub(super) fn visible_of_unit(
    connection: &Connection,
    unit: UnitKey,
    view: &View,
) -> Result<Vec<(Link, UnitKey)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT l.kind, l.target, u.key FROM links l JOIN units u ON u.id = l.target
         WHERE l.unit = ?1 ORDER BY l.ordinal",
    )?;
    let mut rows = statement.query([unit as i64])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        let target: i64 = row.get(2)?;
        if view.contains(target as u64) {
            links.push((read(row)?, target as u64));
        }
    }
    Ok(links)
}

/// Puts these links in the place of those that the unit has.
pub(super) fn replace(
    connection: &Connection,
    unit: UnitKey,
    links: &[Link],
) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM links WHERE unit = ?1")?
        .execute([unit as i64])?;
    insert(connection, unit, links)
}

/// Gives links to a unit that has none.
pub(super) fn insert(
    connection: &Connection,
    unit: UnitKey,
    links: &[Link],
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO links (unit, ordinal, kind, target) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (ordinal, link) in links.iter().enumerate() {
        insert.execute(params![
            unit as i64,
            ordinal as i64,
            link.kind.name(),
            link.target.as_bytes().as_slice()
        ])?;
    }
    Ok(())
}

fn read(row: &rusqlite::Row<'_>) -> Result<Link, StoreError> {
    let kind: String = row.get(0)?;
    let target: Vec<u8> = row.get(1)?;
    Ok(Link {
        kind: kind.parse().map_err(|error| unreadable("link", error))?,
        target: unit_id(&target)?,
    })
}
