//! Changing the model: every stored vector replaced at once.

use std::sync::Arc;

use km_core::Administrator;
use rusqlite::{Connection, params};

use super::clock::Ticker;
use super::embeddings::{sha256, to_bytes};
use super::{SqliteStore, meta};
use crate::{StoreError, StoredUnit, UnitKey};

impl SqliteStore {
    /// Units after the key `after`, by key, at most `limit`, with the hash of their embedded text:
    /// what re-embedding and rebuilding read, page by page from 0.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn all_units(
        &self,
        _capability: Administrator,
        after: UnitKey,
        limit: usize,
    ) -> Result<Vec<(StoredUnit, [u8; 32])>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{} WHERE u.key > ?1 ORDER BY u.key LIMIT ?2",
                super::units::SELECT
            ))?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut rows = statement.query([after as i64, limit])?;
            let mut units = Vec::new();
            while let Some(row) = rows.next()? {
                let key: i64 = row.get(0)?;
                let links = super::links::of_unit(connection, key as u64)?;
                units.push((super::units::read(row, links)?, row.get(9)?));
            }
            Ok(units)
        })
    }

    /// Puts the vectors of another model in the place of all stored ones, in one transaction, and
    /// states its fingerprint. `embeddings` gives a vector for every hash of embedded text that
    /// [`SqliteStore::all_units`] lists. Returns how many vectors were replaced; indexes then hear
    /// of every unit again.
    ///
    /// # Errors
    /// [`StoreError::EmbeddingsMissing`] when a stored unit got none,
    /// [`StoreError::Dimension`] when their lengths differ; nothing is then changed.
    pub fn replace_embeddings(
        &self,
        _capability: Administrator,
        fingerprint: &str,
        embeddings: &[([u8; 32], Arc<[f32]>)],
    ) -> Result<u64, StoreError> {
        let dimension = common_dimension(embeddings)?;
        self.write(|transaction| {
            let replaced = overwrite(transaction, embeddings)?;
            let mut ticker = Ticker::start(transaction)?;
            announce_all(transaction, &mut ticker)?;
            ticker.finish()?;
            meta::forget_dimension(transaction)?;
            if let Some(dimension) = dimension {
                meta::set_dimension(transaction, dimension)?;
            }
            meta::write_fingerprint(transaction, fingerprint)?;
            Ok(replaced)
        })
    }
}

fn common_dimension(embeddings: &[([u8; 32], Arc<[f32]>)]) -> Result<Option<usize>, StoreError> {
    let Some((_, first)) = embeddings.first() else {
        return Ok(None);
    };
    let expected = first.len();
    match embeddings
        .iter()
        .find(|(_, vector)| vector.len() != expected)
    {
        Some((_, other)) => Err(StoreError::Dimension {
            expected,
            found: other.len(),
        }),
        None => Ok(Some(expected)),
    }
}

fn overwrite(
    connection: &Connection,
    embeddings: &[([u8; 32], Arc<[f32]>)],
) -> Result<u64, StoreError> {
    connection.execute_batch("CREATE TEMP TABLE renewed (key INTEGER PRIMARY KEY)")?;
    let mut update = connection.prepare(
        "UPDATE embeddings SET vector = ?2, vector_sha256 = ?3 WHERE text_sha256 = ?1 RETURNING key",
    )?;
    let mut renewed = connection.prepare("INSERT OR IGNORE INTO renewed (key) VALUES (?1)")?;
    for (text_sha256, vector) in embeddings {
        let bytes = to_bytes(vector);
        let mut rows = update.query(params![
            text_sha256.as_slice(),
            bytes,
            sha256(&bytes).as_slice()
        ])?;
        while let Some(row) = rows.next()? {
            renewed.execute([row.get::<_, i64>(0)?])?;
        }
    }
    drop((update, renewed));
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let missing =
        count("SELECT count(*) FROM units WHERE embedding NOT IN (SELECT key FROM renewed)")?;
    let replaced = count("SELECT count(*) FROM renewed")?;
    connection.execute_batch("DROP TABLE renewed")?;
    if missing > 0 {
        return Err(StoreError::EmbeddingsMissing {
            units: missing as u64,
        });
    }
    Ok(replaced as u64)
}

/// Gives every unit a new sequence number, so that indexes read its vector again.
fn announce_all(connection: &Connection, ticker: &mut Ticker<'_>) -> Result<(), StoreError> {
    let mut keys = connection.prepare("SELECT key FROM units ORDER BY key")?;
    let keys: Vec<i64> = keys
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut update = connection.prepare("UPDATE units SET sequence = ?2 WHERE key = ?1")?;
    for key in keys {
        update.execute([key, ticker.tick() as i64])?;
    }
    Ok(())
}
