//! Lines of work and the decision log, kept with their conversation.

use km_core::Identity;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::SqliteStore;
use super::conversations::{self, ConversationKey, Found, find};
use crate::{
    ConversationId, StoreError, ThreadRecord, ThreadRecordKind, ThreadState, ThreadStateStore,
    ThreadUpdate,
};

/// The number of a line of work's kind in the database; a message has 0.
const LINE_OF_WORK: i64 = 1;

/// A thread state without its records.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThreadHead {
    pub(super) revision: u64,
    format: u32,
    model: String,
}

impl ThreadHead {
    /// That of a state.
    pub(super) fn of(state: &ThreadState) -> Self {
        Self {
            revision: state.revision,
            format: state.format,
            model: state.model.clone(),
        }
    }
}

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
            // Records say what the messages say; a decision may be about what was asked just now.
            let key = if update.decisions.is_empty() {
                conversations::reach(transaction, owner, conversation)?
            } else {
                conversations::open(transaction, owner, conversation)?
            };
            let found = head(transaction, key)?.revision;
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
            let head = ThreadHead {
                revision: found + 1,
                format: update.format,
                model: update.model.to_owned(),
            };
            put_head(transaction, key, &head)?;
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
    let head = head(connection, key)?;
    let mut statement = connection.prepare_cached(
        "SELECT kind, id, content FROM thread_records WHERE conversation = ?1 ORDER BY kind, id",
    )?;
    let records = statement.query_map([key], record)?;
    Ok(ThreadState {
        revision: head.revision,
        format: head.format,
        model: head.model,
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

fn head(connection: &Connection, key: ConversationKey) -> Result<ThreadHead, StoreError> {
    let head = connection
        .prepare_cached(
            "SELECT revision, format, model FROM thread_states WHERE conversation = ?1",
        )?
        .query_row([key], |row| {
            let revision: i64 = row.get(0)?;
            Ok(ThreadHead {
                revision: revision as u64,
                format: row.get(1)?,
                model: row.get(2)?,
            })
        });
    Ok(head.optional()?.unwrap_or_default())
}

/// Writes the head as it is.
pub(super) fn put_head(
    connection: &Connection,
    key: ConversationKey,
    head: &ThreadHead,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO thread_states (conversation, revision, format, model)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![key, head.revision as i64, head.format, head.model])?;
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
