//! Reading an index file, trusting nothing in it.

use std::path::Path;

use super::Loaded;
use super::header::{FORMAT_VERSION, HEADER_BYTES, Header};
use crate::IndexError;
use crate::bytes::{take_bytes, take_f32s};
use crate::vectors::Vectors;

/// Reads a file that any release up to this one wrote.
pub(crate) fn load(path: &Path) -> Result<Loaded, IndexError> {
    let bytes = std::fs::read(path).map_err(|source| IndexError::File {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    check_version(path, &bytes)?;
    parse(&bytes).map_err(|reason| damaged(path, reason))
}

fn check_version(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    match Header::version(bytes) {
        None => Err(damaged(path, "it does not begin as an index file")),
        Some(found) if found > FORMAT_VERSION => Err(IndexError::Newer {
            path: path.to_owned(),
            found,
            supported: FORMAT_VERSION,
        }),
        Some(_) => Ok(()),
    }
}

fn damaged(path: &Path, reason: &'static str) -> IndexError {
    let path = path.to_owned();
    IndexError::Damaged { path, reason }
}

fn parse(bytes: &[u8]) -> Result<Loaded, &'static str> {
    let header = Header::from_bytes(bytes).ok_or("its header is cut short or altered")?;
    if header.version == 0 {
        return Err("its format has no number");
    }
    let body = bytes.get(HEADER_BYTES..).unwrap_or_default();
    if body_bytes(&header) != Some(body.len()) {
        return Err("its length is not what the header says");
    }
    if crc32fast::hash(body) != header.body_checksum {
        return Err("its checksum does not match");
    }
    let (vectors, finder) = vectors(&header, body).ok_or("its numbers are not sound")?;
    Ok(Loaded {
        sequence: header.sequence,
        fingerprint: header.fingerprint,
        vectors,
        finder: finder.to_vec(),
    })
}

/// The vectors and what follows them.
fn vectors<'a>(header: &Header, mut body: &'a [u8]) -> Option<(Vectors, &'a [u8])> {
    let dimension = header.dimension as usize;
    let count = usize::try_from(header.count).ok()?;
    let (keys, _) = take_bytes(&mut body, count.checked_mul(8)?)?.as_chunks();
    let keys = keys
        .iter()
        .map(|bytes| u64::from_le_bytes(*bytes))
        .collect();
    let components = take_f32s(&mut body, count.checked_mul(dimension)?)?;
    Some((Vectors::from_parts(dimension, keys, components)?, body))
}

/// Length of all that follows the header, if it can be represented.
fn body_bytes(header: &Header) -> Option<usize> {
    let bytes_each = (header.dimension as usize).checked_mul(4)?.checked_add(8)?;
    let vectors = usize::try_from(header.count)
        .ok()?
        .checked_mul(bytes_each)?;
    vectors.checked_add(usize::try_from(header.finder_bytes).ok()?)
}
