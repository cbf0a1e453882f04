//! A file of small vectors by key, for work that is repeated over the same texts.
//!
//! An 8-byte head `EERAGEC1`, then records of a SHA-256 (32 bytes), tokens in total and seen (two
//! `u32`), the vector (`f32` each) and a check sum (the first 4 bytes of the record's SHA-256), all
//! little-endian. Records are appended whole under a file lock; a torn or damaged tail is cut off
//! when the file is next opened. Losing the file loses nothing but time.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use crate::{EmbedError, Embedding, TokenUse};

const HEAD: &[u8; 8] = b"EERAGEC1";

/// SHA-256 of what a vector was made from.
pub(crate) type RecordKey = [u8; 32];

/// Vectors of one length, in memory and in a file.
pub(crate) struct Records {
    pub(crate) path: PathBuf,
    known: Mutex<HashMap<RecordKey, Embedding>>,
}

impl Records {
    /// Opens the file `name` in `folder`, which is created if need be; vectors have `length`
    /// values.
    pub(crate) fn open(folder: &Path, name: &str, length: usize) -> Result<Self, EmbedError> {
        std::fs::create_dir_all(folder).map_err(io_at(folder))?;
        let path = folder.join(name);
        let known = Mutex::new(load(&path, length).map_err(io_at(&path))?);
        Ok(Self { path, known })
    }

    pub(crate) fn find(&self, key: &RecordKey) -> Option<Embedding> {
        self.known().get(key).cloned()
    }

    /// Writes what was made, then remembers it.
    pub(crate) fn keep(&self, made: Vec<(RecordKey, Embedding)>) -> Result<(), EmbedError> {
        if made.is_empty() {
            return Ok(());
        }
        let records: Vec<u8> = made.iter().flat_map(|(key, e)| record(key, e)).collect();
        append(&self.path, &records).map_err(io_at(&self.path))?;
        self.known().extend(made);
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, HashMap<RecordKey, Embedding>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.known().len()
    }
}

/// Letters, digits and hyphens of a model's name, for the name of its file.
pub(crate) fn plain_name(model: &str) -> String {
    let allowed = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    model.chars().map(allowed).collect()
}

fn io_at(path: &Path) -> impl FnOnce(std::io::Error) -> EmbedError {
    let path = path.to_owned();
    move |source| EmbedError::Io { path, source }
}

fn record(key: &[u8; 32], embedding: &Embedding) -> Vec<u8> {
    let mut record = key.to_vec();
    record.extend((embedding.tokens.total as u32).to_le_bytes());
    record.extend((embedding.tokens.seen as u32).to_le_bytes());
    record.extend(
        embedding
            .vector
            .iter()
            .flat_map(|value| value.to_le_bytes()),
    );
    record.extend(checksum(&record));
    record
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let [a, b, c, d, ..] = digest;
    [a, b, c, d]
}

/// Appends whole records, after the head where the file is new.
fn append(path: &Path, records: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    file.lock()?;
    if file.metadata()?.len() == 0 {
        file.write_all(HEAD)?;
    }
    file.write_all(records)?;
    file.unlock()
}

/// Reads every whole record and cuts off what follows the last one.
fn load(path: &Path, dimension: usize) -> std::io::Result<HashMap<[u8; 32], Embedding>> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(error),
    };
    file.lock()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let (known, whole) = parse(&bytes, dimension);
    if whole < bytes.len() {
        cut(&mut file, whole)?;
    }
    file.unlock()?;
    Ok(known)
}

fn cut(file: &mut File, length: usize) -> std::io::Result<()> {
    file.set_len(length as u64)?;
    file.seek(SeekFrom::End(0)).map(drop)
}

/// The records, and how many bytes of the file they and the head take.
fn parse(bytes: &[u8], dimension: usize) -> (HashMap<[u8; 32], Embedding>, usize) {
    let mut known = HashMap::new();
    let Some(records) = bytes.strip_prefix(HEAD) else {
        return (known, 0);
    };
    let size = 32 + 8 + 4 * dimension + 4;
    let mut whole = HEAD.len();
    for bytes in records.chunks_exact(size) {
        let Some((key, embedding)) = parse_record(bytes) else {
            break;
        };
        known.insert(key, embedding);
        whole += size;
    }
    (known, whole)
}

fn parse_record(bytes: &[u8]) -> Option<([u8; 32], Embedding)> {
    let (body, sum) = bytes.split_last_chunk::<4>()?;
    if checksum(body) != *sum {
        return None;
    }
    let (key, rest) = body.split_first_chunk::<32>()?;
    let (total, rest) = rest.split_first_chunk::<4>()?;
    let (seen, vector) = rest.split_first_chunk::<4>()?;
    let (floats, _) = vector.as_chunks::<4>();
    let tokens = TokenUse {
        total: u32::from_le_bytes(*total) as usize,
        seen: u32::from_le_bytes(*seen) as usize,
    };
    let vector = floats
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    Some((*key, Embedding { vector, tokens }))
}
