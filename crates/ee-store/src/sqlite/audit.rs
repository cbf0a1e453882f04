//! Two-phase audit of turns.

use km_core::{AccessScope, Identity};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::conversations::{append, open, timestamp};
use super::error::{from_json, to_json};
use super::governance::tenant_column;
use super::{SqliteStore, owner};
use crate::{
    AuditStore, ConversationId, OfferedUnit, Outcome, Role, StoreError, TurnId, TurnRecord,
};

/// The columns that [`read`] expects.
pub(super) const SELECT: &str = "
    SELECT key, owner, conversation, question, at, offered, outcome, completed_at FROM turns";

impl AuditStore for SqliteStore {
    fn begin_turn(
        &self,
        scope: &AccessScope,
        conversation: Option<&ConversationId>,
        question: &str,
        offered: &[OfferedUnit],
    ) -> Result<TurnId, StoreError> {
        let at = self.now();
        let offered = to_json("offered units", &offered)?;
        self.write(|transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO turns (tenant, owner, conversation, question, at, offered)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    tenant_column(scope.identity.tenant.as_deref()),
                    owner::write(&scope.identity)?,
                    conversation.map(ConversationId::as_str),
                    question,
                    at.as_millisecond(),
                    offered
                ])?;
            Ok(transaction.last_insert_rowid() as u64)
        })
    }

    fn end_turn(
        &self,
        scope: &AccessScope,
        turn: TurnId,
        outcome: &Outcome,
        history: &[(Role, &str)],
    ) -> Result<(), StoreError> {
        let now = self.now();
        self.write(|transaction| {
            let record = readable_turn(transaction, &scope.identity, turn)?;
            if record.outcome.is_some() {
                return Err(StoreError::TurnEnded { turn });
            }
            transaction
                .prepare_cached("UPDATE turns SET outcome = ?2, completed_at = ?3 WHERE key = ?1")?
                .execute(params![
                    turn as i64,
                    to_json("outcome", outcome)?,
                    now.as_millisecond()
                ])?;
            write_elections(transaction, &record, outcome)?;
            let Some(conversation) = record.conversation.filter(|_| !history.is_empty()) else {
                return Ok(());
            };
            let messages: Vec<_> = history
                .iter()
                .map(|(role, text)| match role {
                    Role::User => (*role, *text, record.at),
                    Role::Assistant => (*role, *text, now),
                })
                .collect();
            let key = open(transaction, &scope.identity, &conversation)?;
            append(transaction, key, &messages)?;
            Ok(())
        })
    }

    fn turns_by_tag(&self, scope: &AccessScope, tag: &str) -> Result<Vec<TurnRecord>, StoreError> {
        let tag = checked_tag(tag)?;
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{SELECT} WHERE tenant = ?1 AND key IN (
                     SELECT turn FROM elections
                     WHERE vector_sha256 >= ?2 AND vector_sha256 < ?2 || 'g')
                 ORDER BY key DESC"
            ))?;
            let tenant = tenant_column(scope.identity.tenant.as_deref());
            let mut rows = statement.query([&tenant, &tag])?;
            readable(&mut rows, &scope.identity, usize::MAX)
        })
    }

    fn latest_turns(
        &self,
        scope: &AccessScope,
        limit: usize,
    ) -> Result<Vec<TurnRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached(&format!("{SELECT} WHERE tenant = ?1 ORDER BY key DESC"))?;
            let mut rows = statement.query([tenant_column(scope.identity.tenant.as_deref())])?;
            readable(&mut rows, &scope.identity, limit)
        })
    }
}

/// Notes which embeddings were elected, by the full hash that the turn was offered.
pub(super) fn write_elections(
    connection: &Connection,
    record: &TurnRecord,
    outcome: &Outcome,
) -> Result<(), StoreError> {
    let Outcome::Answered { elected, .. } = outcome else {
        return Ok(());
    };
    let mut insert = connection.prepare_cached(
        "INSERT INTO elections (vector_sha256, turn) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
    )?;
    for unit in elected {
        let offered = record
            .offered
            .iter()
            .find(|offered| offered.unit == unit.unit && offered.rank == unit.rank);
        let sha256 = offered.map_or(&unit.tag, |offered| &offered.embedding_sha256);
        insert.execute(params![sha256.to_ascii_lowercase(), record.turn as i64])?;
    }
    Ok(())
}

fn checked_tag(tag: &str) -> Result<String, StoreError> {
    let hexadecimal = tag.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !hexadecimal || !(8..=64).contains(&tag.len()) {
        return Err(StoreError::Tag {
            found: tag.to_owned(),
        });
    }
    Ok(tag.to_ascii_lowercase())
}

fn readable_turn(
    connection: &Connection,
    identity: &Identity,
    turn: TurnId,
) -> Result<TurnRecord, StoreError> {
    let none = || StoreError::NoTurn { turn };
    let key = i64::try_from(turn).map_err(|_| none())?;
    connection
        .prepare_cached(&format!("{SELECT} WHERE key = ?1"))?
        .query_row([key], |row| Ok(read(row)))
        .optional()?
        .transpose()?
        .filter(|record| owner::covers(identity, &record.owner))
        .ok_or_else(none)
}

fn readable(
    rows: &mut rusqlite::Rows<'_>,
    identity: &Identity,
    limit: usize,
) -> Result<Vec<TurnRecord>, StoreError> {
    let mut records = Vec::new();
    while records.len() < limit
        && let Some(row) = rows.next()?
    {
        let record = read(row)?;
        if owner::covers(identity, &record.owner) {
            records.push(record);
        }
    }
    Ok(records)
}

/// A row of [`SELECT`].
pub(super) fn read(row: &Row<'_>) -> Result<TurnRecord, StoreError> {
    let turn: i64 = row.get(0)?;
    let holder: String = row.get(1)?;
    let conversation: Option<String> = row.get(2)?;
    let offered: String = row.get(5)?;
    let outcome: Option<String> = row.get(6)?;
    let completed_at: Option<i64> = row.get(7)?;
    Ok(TurnRecord {
        turn: turn as u64,
        owner: owner::parse(&holder)?,
        conversation: conversation.map(ConversationId::new),
        question: row.get(3)?,
        at: timestamp(row.get(4)?)?,
        offered: from_json("offered units", &offered)?,
        outcome: outcome
            .map(|json| from_json("outcome", &json))
            .transpose()?,
        completed_at: completed_at.map(timestamp).transpose()?,
    })
}
