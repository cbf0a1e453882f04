//! Looking after the file: integrity, backup, figures.

use std::path::Path;
use std::time::Duration;

use km_core::Administrator;
use rusqlite::Connection;
use rusqlite::backup::Backup;
use serde::{Deserialize, Serialize};

use super::{SqliteStore, clock};
use crate::{Sequence, StoreError};

/// Pages copied per step of a backup, between which writers get their turn.
const BACKUP_PAGES: i32 = 256;

/// What a store holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreStats {
    /// Sources.
    pub sources: u64,
    /// Units.
    pub units: u64,
    /// Links between units.
    pub links: u64,
    /// Distinct embeddings.
    pub embeddings: u64,
    /// Distinct governance records.
    pub governance: u64,
    /// Conversations.
    pub conversations: u64,
    /// Messages in them.
    pub messages: u64,
    /// Audited turns.
    pub turns: u64,
    /// The sequence number.
    pub sequence: Sequence,
    /// Size of the database, the write-ahead log not included, in bytes.
    pub bytes: u64,
}

impl SqliteStore {
    /// Counts everything.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn stats(&self, _capability: Administrator) -> Result<StoreStats, StoreError> {
        self.read(|connection| {
            let count = |sql: &str| -> Result<u64, StoreError> {
                let found: i64 = connection.query_row(sql, [], |row| row.get(0))?;
                Ok(found as u64)
            };
            Ok(StoreStats {
                sources: count("SELECT count(*) FROM sources")?,
                units: count("SELECT count(*) FROM units")?,
                links: count("SELECT count(*) FROM links")?,
                embeddings: count("SELECT count(*) FROM embeddings")?,
                governance: count("SELECT count(*) FROM governance")?,
                conversations: count("SELECT count(*) FROM conversations")?,
                messages: count("SELECT count(*) FROM messages")?,
                turns: count("SELECT count(*) FROM turns")?,
                sequence: clock::sequence(connection)?,
                bytes: count(
                    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                )?,
            })
        })
    }

    /// Reads the whole database and checks its structure, its references, and that every stored
    /// embedding has the hash that is noted for it. Takes time in proportion to its size.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the first findings.
    pub fn check_integrity(&self, _capability: Administrator) -> Result<(), StoreError> {
        self.read(|connection| {
            let mut findings = structure(connection)?;
            findings.extend(dangling(connection)?);
            findings.extend(wrong_hashes(connection)?);
            if findings.is_empty() {
                return Ok(());
            }
            findings.truncate(10);
            Err(StoreError::Damaged {
                detail: findings.join("; "),
            })
        })
    }

    /// Copies the store into a new file at `target` while it stays in use.
    ///
    /// # Errors
    /// [`StoreError::File`] when `target` exists or cannot be written.
    pub fn backup(&self, _capability: Administrator, target: &Path) -> Result<(), StoreError> {
        let refused = |source| StoreError::File {
            action: "create the backup",
            path: target.to_owned(),
            source,
        };
        std::fs::File::create_new(target).map_err(refused)?;
        let source = self.readers.get()?;
        let mut copy = Connection::open(target)?;
        Backup::new(&source, &mut copy)?.run_to_completion(BACKUP_PAGES, Duration::ZERO, None)?;
        Ok(())
    }
}

fn structure(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare("PRAGMA integrity_check(10)")?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

fn dangling(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement =
        connection.prepare("SELECT DISTINCT \"table\", parent FROM pragma_foreign_key_check")?;
    let rows = statement.query_map([], |row| {
        let (from, to): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(format!("a row of {from} refers to a missing row of {to}"))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn wrong_hashes(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare("SELECT key, vector, vector_sha256 FROM embeddings")?;
    let mut rows = statement.query([])?;
    let mut findings = Vec::new();
    while let Some(row) = rows.next()? {
        let (key, vector, noted): (i64, Vec<u8>, [u8; 32]) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        if super::embeddings::sha256(&vector) != noted {
            findings.push(format!("embedding {key} does not have its noted hash"));
        }
    }
    Ok(findings)
}
