//! Embeddings kept on disk, for work that is repeated over the same texts.
//!
//! One file per model, named after its fingerprint: an 8-byte head `EERAGEC1`, then records of
//! SHA-256 of kind and text (32 bytes), tokens in total and seen (two `u32`), the vector (`f32`
//! each) and a check sum (the first 4 bytes of the record's SHA-256), all little-endian. Records
//! are appended whole under a file lock; a torn or damaged tail is cut off when the file is next
//! opened. Losing the file loses nothing but time.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::cache::{complete, fill_gaps};
use crate::{EmbedError, Embedder, Embedding, Fingerprint, TokenUse};

const HEAD: &[u8; 8] = b"EERAGEC1";

/// An embedder that looks every text up in a file first.
pub struct DiskCachedEmbedder<E> {
    inner: E,
    path: PathBuf,
    known: Mutex<HashMap<[u8; 32], Embedding>>,
}

impl<E: Embedder> DiskCachedEmbedder<E> {
    /// Opens the cache of `inner`'s model in `folder`, which is created if need be.
    ///
    /// # Errors
    /// [`EmbedError::Io`] when the folder or the file cannot be used.
    pub fn open(inner: E, folder: &Path) -> Result<Self, EmbedError> {
        std::fs::create_dir_all(folder).map_err(io_at(folder))?;
        let path = folder.join(file_name(inner.fingerprint()));
        let known = Mutex::new(load(&path, inner.fingerprint().dimension).map_err(io_at(&path))?);
        Ok(Self { inner, path, known })
    }

    fn find(&self, key: [u8; 32]) -> Option<Embedding> {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned()
    }

    fn keep(&self, made: &[([u8; 32], &Embedding)]) -> Result<(), EmbedError> {
        if made.is_empty() {
            return Ok(());
        }
        let records: Vec<u8> = made.iter().flat_map(|(key, e)| record(key, e)).collect();
        append(&self.path, &records).map_err(io_at(&self.path))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(
            made.iter()
                .map(|(key, embedding)| (*key, (*embedding).clone())),
        );
        Ok(())
    }
}

impl<E: Embedder> Embedder for DiskCachedEmbedder<E> {
    fn fingerprint(&self) -> &Fingerprint {
        self.inner.fingerprint()
    }

    fn max_tokens(&self) -> usize {
        self.inner.max_tokens()
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.inner.count_tokens(text)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let known = |text: &str| self.find(key(text, "document"));
        let (found, made) = fill_gaps(texts, known, |missing| self.inner.embed_documents(missing))?;
        let keyed = made.iter().filter_map(|(place, embedding)| {
            texts
                .get(*place)
                .map(|text| (key(text, "document"), embedding))
        });
        self.keep(&keyed.collect::<Vec<_>>())?;
        Ok(complete(found, made))
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        let key = key(text, "query");
        if let Some(known) = self.find(key) {
            return Ok(known);
        }
        let embedding = self.inner.embed_query(text)?;
        self.keep(&[(key, &embedding)])?;
        Ok(embedding)
    }
}

fn io_at(path: &Path) -> impl FnOnce(std::io::Error) -> EmbedError {
    let path = path.to_owned();
    move |source| EmbedError::Io { path, source }
}

fn key(text: &str, kind: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(kind)
        .chain_update([0])
        .chain_update(text)
        .finalize()
        .into()
}

/// The model's name, for people, and a digest of its whole fingerprint.
fn file_name(fingerprint: &Fingerprint) -> String {
    let digest = hex::encode(Sha256::digest(format!("{fingerprint:?}")));
    let digest = digest.get(..12).unwrap_or(&digest);
    let allowed = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let name: String = fingerprint.model.chars().map(allowed).collect();
    format!("{name}-{digest}.embeddings")
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

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;

    use super::DiskCachedEmbedder;
    use crate::{Embedder, LexicalEmbedder};

    fn open(folder: &std::path::Path) -> DiskCachedEmbedder<LexicalEmbedder> {
        DiskCachedEmbedder::open(LexicalEmbedder::new(16), folder).unwrap()
    }

    #[test]
    fn embeddings_survive_a_restart_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["eins", "zwei 二", ""];
        let first = open(folder.path()).embed_documents(&texts).unwrap();
        let again = open(folder.path());
        assert_eq!(again.known.lock().unwrap().len(), 3);
        assert_eq!(again.embed_documents(&texts).unwrap(), first);
    }

    #[test]
    fn a_torn_tail_is_cut_off_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let embedder = open(folder.path());
        embedder.embed_documents(&["one", "two"]).unwrap();
        OpenOptions::new()
            .append(true)
            .open(&embedder.path)
            .unwrap()
            .write_all(b"torn")
            .unwrap();
        let again = open(folder.path());
        assert_eq!(again.known.lock().unwrap().len(), 2);
        again.embed_documents(&["three"]).unwrap();
        assert_eq!(open(folder.path()).known.lock().unwrap().len(), 3);
    }

    #[test]
    fn a_foreign_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = open(folder.path()).path;
        std::fs::write(&path, b"something else entirely").unwrap();
        let embedder = open(folder.path());
        embedder.embed_query("one").unwrap();
        assert_eq!(open(folder.path()).known.lock().unwrap().len(), 1);
    }
}
