//! Reading an index file, trusting nothing in it.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::MmapMut;

use super::Loaded;
use super::header::{FORMAT_VERSION, HEADER_BYTES, Header};
use super::layout::Layout;
use super::map::{MAPS, MappedFloats, map};
use crate::IndexError;
use crate::components::Components;
use crate::vectors::Vectors;

/// Opens a file that any release up to this one wrote. Where it can be mapped the vectors stay in
/// it, and other processes that map it share the memory.
pub(crate) fn load(path: &Path) -> Result<Loaded, IndexError> {
    let bytes = FileBytes::open(path).map_err(|source| IndexError::File {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    check_version(path, &bytes)?;
    parse(bytes).map_err(|reason| damaged(path, reason))
}

/// The bytes of a file.
enum FileBytes {
    Mapped(MmapMut),
    Read(Vec<u8>),
}

impl FileBytes {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // An empty file cannot be mapped.
        if MAPS && file.metadata()?.len() > 0 {
            return Ok(Self::Mapped(map(&file)?));
        }
        Ok(Self::Read(std::fs::read(path)?))
    }

    /// The numbers of a part whose length is a multiple of four.
    fn into_floats(self, start: usize, count: usize) -> Option<Components> {
        match self {
            Self::Mapped(map) => Some(MappedFloats::new(map, start, count)?.into()),
            Self::Read(bytes) => {
                let (numbers, _) = bytes.get(start..)?.as_chunks::<4>();
                let floats = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
                Some(floats.take(count).collect::<Vec<f32>>().into())
            }
        }
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
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

fn parse(bytes: FileBytes) -> Result<Loaded, &'static str> {
    let header = Header::from_bytes(&bytes).ok_or("its header is cut short or altered")?;
    if header.version == 0 {
        return Err("its format has no number");
    }
    let layout = Layout::of(&header).filter(|layout| layout.finder.end == bytes.len());
    let layout = layout.ok_or("its length is not what the header says")?;
    if crc32fast::hash(bytes.get(HEADER_BYTES..).unwrap_or_default()) != header.body_checksum {
        return Err("its checksum does not match");
    }
    loaded(&header, &layout, bytes).ok_or("its numbers are not sound")
}

fn loaded(header: &Header, layout: &Layout, bytes: FileBytes) -> Option<Loaded> {
    let (keys, _) = bytes.get(layout.keys.clone())?.as_chunks();
    let keys: Vec<u64> = keys.iter().map(|key| u64::from_le_bytes(*key)).collect();
    let finder = bytes.get(layout.finder.clone())?.to_vec();
    let dimension = header.dimension as usize;
    let count = keys.len().checked_mul(dimension)?;
    let components = bytes.into_floats(layout.vectors.start, count)?;
    Some(Loaded {
        sequence: header.sequence,
        fingerprint: header.fingerprint,
        vectors: Vectors::from_parts(dimension, keys, components)?,
        finder,
    })
}
