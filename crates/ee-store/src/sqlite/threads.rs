//! Lines of work and the decision log, kept with their conversation.

use km_core::Identity;
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::conversations::{self, ConversationKey, Found, append, find};
use crate::{ConversationId, StoreError, ThreadState, ThreadStateStore, ThreadUpdate};

impl ThreadStateStore for SqliteStore {
    fn thread_state(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
    ) -> Result<ThreadState, StoreError> {
        self.read(|connection| match find(connection, owner, conversation)? {
            Found::Readable(key) => Ok(load(connection, key)?.unwrap_or_default()),
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
            save(transaction, key, conversation, update.state)?;
            log(transaction, key, update.decisions, update.decisions_kept)?;
            append(transaction, key, update.messages)
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

pub(super) fn load(
    connection: &Connection,
    key: ConversationKey,
) -> Result<Option<ThreadState>, StoreError> {
    Ok(connection
        .prepare_cached(
            "SELECT revision, format, state FROM thread_states WHERE conversation = ?1",
        )?
        .query_row([key], |row| {
            let revision: i64 = row.get(0)?;
            Ok(ThreadState {
                revision: revision as u64,
                format: row.get(1)?,
                state: row.get(2)?,
            })
        })
        .optional()?)
}

fn save(
    connection: &Connection,
    key: ConversationKey,
    conversation: &ConversationId,
    state: &ThreadState,
) -> Result<(), StoreError> {
    let found = load(connection, key)?.unwrap_or_default().revision;
    if found != state.revision {
        return Err(StoreError::StaleState {
            conversation: conversation.clone(),
            expected: state.revision,
            found,
        });
    }
    let next = ThreadState {
        revision: found + 1,
        ..state.clone()
    };
    put(connection, key, &next)
}

/// Writes a state as it is, revision included.
pub(super) fn put(
    connection: &Connection,
    key: ConversationKey,
    state: &ThreadState,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO thread_states (conversation, revision, format, state)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            key,
            state.revision as i64,
            state.format,
            state.state
        ])?;
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
