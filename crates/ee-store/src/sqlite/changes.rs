//! What happened since a sequence number, for indexes.

use rusqlite::Connection;

use super::units::{index_text, unit_id};
use super::{clock, embeddings, error, meta};
use crate::{Change, ChangeBatch, Sequence, StoreError};

/// At most `limit` changes after `since`, oldest first.
pub(super) fn since(
    connection: &Connection,
    since: Sequence,
    limit: usize,
) -> Result<ChangeBatch, StoreError> {
    let sequence = clock::sequence(connection)?;
    check_can_follow(connection, since, sequence)?;
    let entries = entries(connection, since, limit.saturating_add(1))?;
    let more = entries.len() > limit;
    let entries = entries.get(..limit).unwrap_or(&entries);
    let reached = match entries.last() {
        Some(last) if more => last.sequence,
        None if more => since,
        _ => sequence,
    };
    let changes = entries.iter().map(|entry| entry.read(connection));
    Ok(ChangeBatch {
        since,
        changes: changes.collect::<Result<_, _>>()?,
        reached,
        more,
    })
}

fn check_can_follow(
    connection: &Connection,
    since: Sequence,
    sequence: Sequence,
) -> Result<(), StoreError> {
    if since > sequence {
        return Err(StoreError::IndexAhead { since, sequence });
    }
    let pruned_through = meta::pruned_through(connection)?;
    if since > 0 && since < pruned_through {
        return Err(StoreError::ChangesPruned {
            since,
            pruned_through,
        });
    }
    Ok(())
}

/// Which unit changed, when, and how.
struct Entry {
    sequence: Sequence,
    key: i64,
    removed: bool,
}

fn entries(
    connection: &Connection,
    since: Sequence,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    // An empty index needs no removals: nothing that is gone was ever in it.
    let mut statement = connection.prepare_cached(
        "SELECT sequence, key, 0 FROM units WHERE sequence > ?1
         UNION ALL
         SELECT sequence, unit, 1 FROM removals WHERE sequence > ?1 AND ?1 > 0
         ORDER BY sequence LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map([since as i64, limit], |row| {
        let sequence: i64 = row.get(0)?;
        Ok(Entry {
            sequence: sequence as u64,
            key: row.get(1)?,
            removed: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl Entry {
    fn read(&self, connection: &Connection) -> Result<Change, StoreError> {
        if self.removed {
            return Ok(Change::Removed {
                key: self.key as u64,
            });
        }
        let mut statement = connection.prepare_cached(
            "SELECT u.id, s.title, u.metadata, u.content, e.vector
             FROM units u JOIN sources s ON s.key = u.source
             JOIN embeddings e ON e.key = u.embedding WHERE u.key = ?1",
        )?;
        let mut rows = statement.query([self.key])?;
        let Some(row) = rows.next()? else {
            return Err(error::unreadable(
                "unit",
                "its source or embedding is missing",
            ));
        };
        let id: Vec<u8> = row.get(0)?;
        let title: Option<String> = row.get(1)?;
        let metadata: String = row.get(2)?;
        let content: String = row.get(3)?;
        let vector: Vec<u8> = row.get(4)?;
        let metadata = error::from_json("unit metadata", &metadata)?;
        Ok(Change::Added {
            key: self.key as u64,
            id: unit_id(&id)?,
            text: index_text(title.as_deref(), &metadata, &content),
            embedding: embeddings::from_bytes(&vector)?,
        })
    }
}
