//! Conversations and their messages.

use km_core::{Identity, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::unreadable;
use super::governance::tenant_column;
use super::{SqliteStore, owner};
use crate::{
    ConversationId, ConversationStore, ConversationSummary, Role, StoreError, StoredMessage,
};

/// Row number of a conversation.
pub(super) type ConversationKey = i64;

/// A message to append: who wrote it, what, and when.
pub(super) type NewMessage<'a> = (Role, &'a str, Timestamp);

impl ConversationStore for SqliteStore {
    fn append(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        messages: &[NewMessage<'_>],
    ) -> Result<u64, StoreError> {
        self.write(|transaction| {
            let key = open(transaction, owner, conversation)?;
            append(transaction, key, messages)
        })
    }

    fn messages(
        &self,
        owner: &Identity,
        conversation: &ConversationId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        self.read(|connection| match find(connection, owner, conversation)? {
            Found::Readable(key) => messages(connection, key, from, limit),
            Found::Foreign | Found::Nothing => Ok(Vec::new()),
        })
    }

    fn conversations(&self, owner: &Identity) -> Result<Vec<ConversationSummary>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT c.owner, c.name, count(m.position), min(m.at), max(m.at)
                 FROM conversations c JOIN messages m ON m.conversation = c.key
                 WHERE c.tenant = ?1 GROUP BY c.key ORDER BY max(m.at) DESC, c.name",
            )?;
            let mut rows = statement.query([tenant_column(owner.tenant.as_deref())])?;
            let mut summaries = Vec::new();
            while let Some(row) = rows.next()? {
                let holder: String = row.get(0)?;
                if owner::covers(owner, &owner::parse(&holder)?) {
                    summaries.push(summary(row)?);
                }
            }
            Ok(summaries)
        })
    }

    fn forget(&self, owner: &Identity, conversation: &ConversationId) -> Result<bool, StoreError> {
        self.write(|transaction| {
            let Found::Readable(key) = find(transaction, owner, conversation)? else {
                return Ok(false);
            };
            transaction.execute("DELETE FROM conversations WHERE key = ?1", [key])?;
            transaction.execute(
                "DELETE FROM turns WHERE tenant = ?1 AND conversation = ?2",
                [
                    tenant_column(owner.tenant.as_deref()).as_str(),
                    conversation.as_str(),
                ],
            )?;
            Ok(true)
        })
    }
}

/// A conversation as one identity finds it.
pub(super) enum Found {
    /// It may read and write it.
    Readable(ConversationKey),
    /// It exists, and is a more privileged owner's.
    Foreign,
    /// There is none.
    Nothing,
}

pub(super) fn find(
    connection: &Connection,
    identity: &Identity,
    conversation: &ConversationId,
) -> Result<Found, StoreError> {
    let found: Option<(ConversationKey, String)> = connection
        .prepare_cached("SELECT key, owner FROM conversations WHERE tenant = ?1 AND name = ?2")?
        .query_row(
            [
                tenant_column(identity.tenant.as_deref()).as_str(),
                conversation.as_str(),
            ],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    Ok(match found {
        None => Found::Nothing,
        Some((key, holder)) if owner::covers(identity, &owner::parse(&holder)?) => {
            Found::Readable(key)
        }
        Some(_) => Found::Foreign,
    })
}

/// The conversation, made where there is none; its owner is from then on at least as privileged
/// as `identity`, which is about to write to it.
pub(super) fn open(
    connection: &Connection,
    identity: &Identity,
    conversation: &ConversationId,
) -> Result<ConversationKey, StoreError> {
    let key = reach(connection, identity, conversation)?;
    raise_owner(connection, key, identity)?;
    Ok(key)
}

/// The conversation, made where there is none, for what adds nothing of `identity`'s to it.
pub(super) fn reach(
    connection: &Connection,
    identity: &Identity,
    conversation: &ConversationId,
) -> Result<ConversationKey, StoreError> {
    match find(connection, identity, conversation)? {
        Found::Foreign => Err(StoreError::ForeignConversation {
            conversation: conversation.clone(),
        }),
        Found::Nothing => create(connection, identity, conversation),
        Found::Readable(key) => Ok(key),
    }
}

fn create(
    connection: &Connection,
    identity: &Identity,
    conversation: &ConversationId,
) -> Result<ConversationKey, StoreError> {
    connection
        .prepare_cached("INSERT INTO conversations (tenant, name, owner) VALUES (?1, ?2, ?3)")?
        .execute(params![
            tenant_column(identity.tenant.as_deref()),
            conversation.as_str(),
            owner::write(identity)?
        ])?;
    Ok(connection.last_insert_rowid())
}

fn raise_owner(
    connection: &Connection,
    key: ConversationKey,
    identity: &Identity,
) -> Result<(), StoreError> {
    let holder: String = connection
        .prepare_cached("SELECT owner FROM conversations WHERE key = ?1")?
        .query_row([key], |row| row.get(0))?;
    let joined = owner::joined(&owner::parse(&holder)?, identity);
    connection
        .prepare_cached("UPDATE conversations SET owner = ?2 WHERE key = ?1")?
        .execute(params![key, owner::write(&joined)?])?;
    Ok(())
}

/// Appends messages and returns the position of the first.
pub(super) fn append(
    connection: &Connection,
    key: ConversationKey,
    messages: &[NewMessage<'_>],
) -> Result<u64, StoreError> {
    let first: i64 = connection
        .prepare_cached(
            "SELECT coalesce(max(position) + 1, 0) FROM messages WHERE conversation = ?1",
        )?
        .query_row([key], |row| row.get(0))?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO messages (conversation, position, role, at, text) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (position, (role, text, at)) in (first..).zip(messages) {
        insert.execute(params![
            key,
            position,
            role_name(*role),
            at.as_millisecond(),
            text
        ])?;
    }
    Ok(first as u64)
}

pub(super) fn messages(
    connection: &Connection,
    key: ConversationKey,
    from: u64,
    limit: usize,
) -> Result<Vec<StoredMessage>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT position, role, text, at FROM messages
         WHERE conversation = ?1 AND position >= ?2 ORDER BY position LIMIT ?3",
    )?;
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query([key, from, limit])?;
    let mut messages = Vec::new();
    while let Some(row) = rows.next()? {
        messages.push(message(row)?);
    }
    Ok(messages)
}

fn message(row: &Row<'_>) -> Result<StoredMessage, StoreError> {
    let position: i64 = row.get(0)?;
    let role: String = row.get(1)?;
    Ok(StoredMessage {
        position: position as u64,
        role: parse_role(&role)?,
        text: row.get(2)?,
        at: timestamp(row.get(3)?)?,
    })
}

fn summary(row: &Row<'_>) -> Result<ConversationSummary, StoreError> {
    let name: String = row.get(1)?;
    let messages: i64 = row.get(2)?;
    Ok(ConversationSummary {
        conversation: ConversationId::new(name),
        messages: messages as u64,
        started: timestamp(row.get(3)?)?,
        last: timestamp(row.get(4)?)?,
    })
}

/// A stored time: milliseconds since 1970.
pub(super) fn timestamp(milliseconds: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(milliseconds).map_err(|error| unreadable("time", error))
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

fn parse_role(name: &str) -> Result<Role, StoreError> {
    match name {
        "user" => Ok(Role::User),
        "assistant" => Ok(Role::Assistant),
        _ => Err(unreadable("role", format!("{name:?}"))),
    }
}
