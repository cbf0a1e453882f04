//! Lines of work and the decision log, kept with their conversation.

use km_core::Identity;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::conversations::{self, ConversationKey, Found, find};
use crate::{
    ConversationId, StoreError, ThreadRecord, ThreadRecordKind, ThreadState, ThreadStateStore,
    ThreadUpdate,
};

/// The number of a line of work's kind in the database; a message has 0.
const LINE_OF_WORK: i64 = 1;

impl ThreadStateStore for SqliteStore {
    fn thread_state(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
    ) -> Result<ThreadState, StoreError> {
        self.read(|connection| match find(connection, owner, conversation)? {
            Found::Readable(key) => load(connection, key),
            Found::Foreign | Found::Nothing => Ok(ThreadState::default()),
        })
    }

    fn update_threads(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        update: ThreadUpdate<'_>,
    ) -> Result<u64, StoreError> {
        self.write(|transaction| {
            let key = conversations::open(transaction, owner, conversation)?;
            let (found, _) = head(transaction, key)?.unwrap_or_default();
            if found != update.revision {
                return Err(StoreError::StaleState {
                    conversation: conversation.clone(),
                    expected: update.revision,
                    found,
                });
            }
            if update.start_over {
                transaction.execute("DELETE FROM thread_records WHERE conversation = ?1", [key])?;
            }
            put_head(transaction, key, found + 1, update.format)?;
            put_records(transaction, key, update.records)?;
            log(transaction, key, update.decisions, update.decisions_kept)?;
            Ok(found + 1)
        })
    }

    fn decisions(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.read(|connection| match find(connection, owner, conversation)? {
            Found::Readable(key) => latest_decisions(connection, key, limit),
            Found::Foreign | Found::Nothing => Ok(Vec::new()),
        })
    }
}

/// The whole state, empty where there is none.
pub(super) fn load(
    connection: &Connection,
    key: ConversationKey,
) -> Result<ThreadState, StoreError> {
    let (revision, format) = head(connection, key)?.unwrap_or_default();
    let mut statement = connection.prepare_cached(
        "SELECT kind, id, content FROM thread_records WHERE conversation = ?1 ORDER BY kind, id",
    )?;
    let records = statement.query_map([key], record)?;
    Ok(ThreadState {
        revision,
        format,
        records: records.collect::<Result<_, _>>()?,
    })
}

fn record(row: &Row<'_>) -> rusqlite::Result<ThreadRecord> {
    let (kind, id): (i64, i64) = (row.get(0)?, row.get(1)?);
    let kind = match kind {
        LINE_OF_WORK => ThreadRecordKind::LineOfWork,
        _ => ThreadRecordKind::Message,
    };
    Ok(ThreadRecord {
        kind,
        id: id as u64,
        content: row.get(2)?,
    })
}

/// Revision and format.
fn head(connection: &Connection, key: ConversationKey) -> Result<Option<(u64, u32)>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT revision, format FROM thread_states WHERE conversation = ?1")?
        .query_row([key], |row| {
            let revision: i64 = row.get(0)?;
            Ok((revision as u64, row.get(1)?))
        })
        .optional()?)
}

/// Writes revision and format as they are.
pub(super) fn put_head(
    connection: &Connection,
    key: ConversationKey,
    revision: u64,
    format: u32,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO thread_states (conversation, revision, format)
             VALUES (?1, ?2, ?3)",
        )?
        .execute(params![key, revision as i64, format])?;
    Ok(())
}

/// Adds records, or replaces those of the same kind and id.
pub(super) fn put_records(
    connection: &Connection,
    key: ConversationKey,
    records: &[ThreadRecord],
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO thread_records (conversation, kind, id, content)
         VALUES (?1, ?2, ?3, ?4)",
    )?;
    for record in records {
        let kind = match record.kind {
            ThreadRecordKind::Message => 0,
            ThreadRecordKind::LineOfWork => LINE_OF_WORK,
        };
        insert.execute(params![key, kind, record.id as i64, record.content])?;
    }
    Ok(())
}

/// Appends decisions and keeps the latest `kept`.
pub(super) fn log(
    connection: &Connection,
    key: ConversationKey,
    decisions: &[String],
    kept: usize,
) -> Result<(), StoreError> {
    let next: i64 = connection
        .prepare_cached(
            "SELECT coalesce(max(ordinal) + 1, 0) FROM decisions WHERE conversation = ?1",
        )?
        .query_row([key], |row| row.get(0))?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO decisions (conversation, ordinal, decision) VALUES (?1, ?2, ?3)",
    )?;
    for (ordinal, decision) in (next..).zip(decisions) {
        insert.execute(params![key, ordinal, decision])?;
    }
    let end = next.saturating_add_unsigned(decisions.len() as u64);
    let first_kept = end.saturating_sub_unsigned(kept as u64);
    connection
        .prepare_cached("DELETE FROM decisions WHERE conversation = ?1 AND ordinal < ?2")?
        .execute([key, first_kept])?;
    Ok(())
}

pub(super) fn latest_decisions(
    connection: &Connection,
    key: ConversationKey,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT decision FROM decisions WHERE conversation = ?1 ORDER BY ordinal DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map([key, limit], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
