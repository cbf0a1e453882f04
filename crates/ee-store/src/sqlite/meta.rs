//! Facts about the store as a whole: its id, the model behind its vectors.

use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::error::unreadable;
use crate::StoreError;

/// The model behind the stored vectors.
const FINGERPRINT: &str = "fingerprint";
/// Length of the stored vectors.
const DIMENSION: &str = "dimension";
/// The last change that is no longer listed.
const PRUNED_THROUGH: &str = "pruned_through";
/// A random number given when the store was made.
const STORE_ID: &str = "store_id";

impl SqliteStore {
    /// 32 hexadecimal digits, drawn when the store was made: an index of another store is told
    /// from ours by it.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn store_id(&self) -> Result<String, StoreError> {
        self.read(|connection| {
            value(connection, STORE_ID)?.ok_or_else(|| unreadable("store id", "it is missing"))
        })
    }

    /// The model behind the stored vectors, in the words of [`SqliteStore::set_fingerprint`].
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn fingerprint(&self) -> Result<Option<String>, StoreError> {
        self.read(fingerprint)
    }

    /// States which model embeds for this store. Stores without an embedding accept any; calling
    /// it again with the same model changes nothing.
    ///
    /// # Errors
    /// [`StoreError::OtherModel`] when the stored vectors are another model's.
    pub fn set_fingerprint(&self, fingerprint: &str) -> Result<(), StoreError> {
        if self.fingerprint()?.as_deref() == Some(fingerprint) {
            return Ok(());
        }
        self.write(|transaction| {
            let stored = value(transaction, FINGERPRINT)?;
            match stored {
                Some(stored) if stored != fingerprint && holds_embeddings(transaction)? => {
                    Err(StoreError::OtherModel {
                        stored,
                        given: fingerprint.to_owned(),
                    })
                }
                _ => {
                    if !holds_embeddings(transaction)? {
                        forget_dimension(transaction)?;
                    }
                    write_fingerprint(transaction, fingerprint)
                }
            }
        })
    }
}

/// The model behind the stored vectors.
pub(super) fn fingerprint(connection: &Connection) -> Result<Option<String>, StoreError> {
    value(connection, FINGERPRINT)
}

fn holds_embeddings(connection: &Connection) -> Result<bool, StoreError> {
    Ok(
        connection.query_row("SELECT EXISTS (SELECT 1 FROM embeddings)", [], |row| {
            row.get(0)
        })?,
    )
}

pub(super) fn write_fingerprint(
    connection: &Connection,
    fingerprint: &str,
) -> Result<(), StoreError> {
    set(connection, FINGERPRINT, fingerprint)
}

/// Length of the stored vectors; absent before the first.
pub(super) fn dimension(connection: &Connection) -> Result<Option<usize>, StoreError> {
    number(connection, DIMENSION)
}

pub(super) fn set_dimension(connection: &Connection, dimension: usize) -> Result<(), StoreError> {
    set(connection, DIMENSION, &dimension.to_string())
}

pub(super) fn forget_dimension(connection: &Connection) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM meta WHERE name = ?1")?
        .execute([DIMENSION])?;
    Ok(())
}

pub(super) fn pruned_through(connection: &Connection) -> Result<u64, StoreError> {
    Ok(number(connection, PRUNED_THROUGH)?.unwrap_or(0))
}

pub(super) fn set_pruned_through(connection: &Connection, sequence: u64) -> Result<(), StoreError> {
    set(connection, PRUNED_THROUGH, &sequence.to_string())
}

fn value(connection: &Connection, name: &str) -> Result<Option<String>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?)
}

fn number<T: std::str::FromStr>(
    connection: &Connection,
    name: &'static str,
) -> Result<Option<T>, StoreError> {
    value(connection, name)?
        .map(|text| {
            text.parse()
                .map_err(|_| unreadable(name, format!("{text:?} is not a number")))
        })
        .transpose()
}

fn set(connection: &Connection, name: &str, value: &str) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO meta (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )?
        .execute(params![name, value])?;
    Ok(())
}
