//! Stored vectors: little-endian `f32`, one for each distinct text that was embedded.

use std::collections::HashSet;
use std::sync::Arc;

use km_core::UnitId;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::meta;
use crate::{StoreError, UnitWrite};

/// Row number of an embedding.
pub(super) type EmbeddingKey = i64;

/// Those of `hashes` for which an embedding is stored.
pub(super) fn known(
    connection: &Connection,
    hashes: &[[u8; 32]],
) -> Result<HashSet<[u8; 32]>, StoreError> {
    let mut known = HashSet::new();
    for hash in hashes {
        if find(connection, hash)?.is_some() {
            known.insert(*hash);
        }
    }
    Ok(known)
}

/// The row of the embedding of this text.
pub(super) fn find(
    connection: &Connection,
    text_sha256: &[u8; 32],
) -> Result<Option<EmbeddingKey>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT key FROM embeddings WHERE text_sha256 = ?1")?
        .query_row([text_sha256.as_slice()], |row| row.get(0))
        .optional()?)
}

/// The row of a unit's embedding: the one that is stored for its text, or the one it brings.
pub(super) fn intern(
    connection: &Connection,
    write: &UnitWrite,
) -> Result<EmbeddingKey, StoreError> {
    let unit = write.unit.id;
    if let Some(vector) = write.embedding.as_deref() {
        check_finite(unit, vector)?;
        if let Some(key) = insert(connection, &write.embedded_sha256, vector)? {
            return Ok(key);
        }
    }
    find(connection, &write.embedded_sha256)?.ok_or(StoreError::EmbeddingMissing { unit })
}

/// Stores a vector under the hash of its text; nothing when there is one.
pub(super) fn insert(
    connection: &Connection,
    text_sha256: &[u8; 32],
    vector: &[f32],
) -> Result<Option<EmbeddingKey>, StoreError> {
    check_dimension(connection, vector.len())?;
    let bytes = to_bytes(vector);
    let inserted = connection
        .prepare_cached(
            "INSERT INTO embeddings (text_sha256, vector_sha256, vector) VALUES (?1, ?2, ?3)
             ON CONFLICT (text_sha256) DO NOTHING",
        )?
        .execute(params![
            text_sha256.as_slice(),
            sha256(&bytes).as_slice(),
            bytes
        ])?;
    Ok((inserted > 0).then(|| connection.last_insert_rowid()))
}

/// Removes the embedding when no unit refers to it.
pub(super) fn release(connection: &Connection, key: EmbeddingKey) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "DELETE FROM embeddings WHERE key = ?1
             AND NOT EXISTS (SELECT 1 FROM units WHERE embedding = ?1)",
        )?
        .execute([key])?;
    Ok(())
}

/// The vector as it is stored.
pub(super) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// A stored vector. A blob whose length is not a multiple of 4 is a damaged record.
pub(super) fn from_bytes(bytes: &[u8]) -> Result<Arc<[f32]>, StoreError> {
    let (values, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(super::error::unreadable(
            "embedding",
            format!("{} bytes are not a whole number of f32", bytes.len()),
        ));
    }
    Ok(values
        .iter()
        .map(|value| f32::from_le_bytes(*value))
        .collect())
}

pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Lower-case hexadecimal.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads 64 hexadecimal digits.
pub(super) fn parse_sha256(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (position, byte) in bytes.iter_mut().enumerate() {
        let digits = text.get(position * 2..position * 2 + 2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}

fn check_finite(unit: UnitId, vector: &[f32]) -> Result<(), StoreError> {
    match vector.iter().position(|value| !value.is_finite()) {
        Some(component) => Err(StoreError::NotFinite { unit, component }),
        None => Ok(()),
    }
}

fn check_dimension(connection: &Connection, found: usize) -> Result<(), StoreError> {
    match meta::dimension(connection)? {
        None => meta::set_dimension(connection, found),
        Some(expected) if expected == found => Ok(()),
        Some(expected) => Err(StoreError::Dimension { expected, found }),
    }
}
