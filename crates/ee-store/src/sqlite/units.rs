//! Reading units.

use km_core::{Link, SourceId, Unit, UnitId, UnitMetadata};
use rusqlite::{Connection, OptionalExtension, Row};

use super::directory::View;
use super::embeddings::hexadecimal;
use super::error::{from_json, unreadable};
use super::{governance, links};
use crate::{StoreError, StoredUnit, UnitKey};

/// The columns that [`read`] expects, and the tables they come from.
pub(super) const SELECT: &str = "
    SELECT u.key, u.id, s.name, u.kind, u.content, u.summary, u.metadata, g.json,
           e.vector_sha256, e.text_sha256
    FROM units u
    JOIN sources s ON s.key = u.source
    JOIN governance g ON g.key = u.governance
    JOIN embeddings e ON e.key = u.embedding";

/// The unit of this key with the links that `view` lets through; absent when it is not in `view`.
pub(super) fn in_view(
    connection: &Connection,
    key: UnitKey,
    view: &View,
) -> Result<Option<StoredUnit>, StoreError> {
    if !view.contains(key) {
        return Ok(None);
    }
    let Some(mut stored) = by_key(connection, key)? else {
        return Ok(None);
    };
    stored.unit.links = links::visible_of_unit(connection, key, view)?
        .into_iter()
        .map(|(link, _)| link)
        .collect();
    Ok(Some(stored))
}

fn by_key(connection: &Connection, key: UnitKey) -> Result<Option<StoredUnit>, StoreError> {
    connection
        .prepare_cached(&format!("{SELECT} WHERE u.key = ?1"))?
        .query_row([key as i64], |row| Ok(read(row, Vec::new())))
        .optional()?
        .transpose()
}

/// A row of [`SELECT`].
pub(super) fn read(row: &Row<'_>, links: Vec<Link>) -> Result<StoredUnit, StoreError> {
    let key: i64 = row.get(0)?;
    let id: Vec<u8> = row.get(1)?;
    let source: String = row.get(2)?;
    let kind: String = row.get(3)?;
    let metadata: String = row.get(6)?;
    let governance: String = row.get(7)?;
    let vector_sha256: Vec<u8> = row.get(8)?;
    let unit = Unit {
        id: unit_id(&id)?,
        source: SourceId::new(source),
        kind: kind.parse().map_err(|error| unreadable("unit", error))?,
        content: row.get(4)?,
        summary: row.get(5)?,
        metadata: from_json("unit metadata", &metadata)?,
        governance: governance::parse(&governance)?,
        links,
    };
    Ok(StoredUnit {
        key: key as u64,
        unit,
        embedding_sha256: hexadecimal(&vector_sha256),
    })
}

/// An id as it is stored.
pub(super) fn unit_id(bytes: &[u8]) -> Result<UnitId, StoreError> {
    bytes
        .try_into()
        .map(UnitId::from_bytes)
        .map_err(|_| unreadable("unit id", format!("{} bytes instead of 16", bytes.len())))
}

/// The text for full-text search: title, section path and content, a line each.
pub(super) fn index_text(
    source_title: Option<&str>,
    metadata: &UnitMetadata,
    content: &str,
) -> String {
    let title = metadata.title.as_deref().or(source_title);
    let headings = metadata.section_path.iter().map(String::as_str);
    let lines: Vec<&str> = title.into_iter().chain(headings).chain([content]).collect();
    lines.join("\n")
}
