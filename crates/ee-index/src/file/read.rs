//! Reading an index file, trusting nothing in it.

use std::path::Path;

use super::Loaded;
use super::header::{FORMAT_VERSION, HEADER_BYTES, Header};
use crate::IndexError;
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
    let (keys, components) = body.split_at(header.count as usize * 8);
    let (keys, _) = keys.as_chunks();
    let (components, _) = components.as_chunks();
    let keys = keys
        .iter()
        .map(|bytes| u64::from_le_bytes(*bytes))
        .collect();
    let components = components.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let vectors = Vectors::from_parts(header.dimension as usize, keys, components.collect());
    Ok(Loaded {
        sequence: header.sequence,
        fingerprint: header.fingerprint,
        vectors: vectors.ok_or("a key repeats or a component is not a finite number")?,
    })
}

/// Length of keys and vectors together, if it can be represented.
fn body_bytes(header: &Header) -> Option<usize> {
    let bytes_each = (header.dimension as usize).checked_mul(4)?.checked_add(8)?;
    usize::try_from(header.count).ok()?.checked_mul(bytes_each)
}
