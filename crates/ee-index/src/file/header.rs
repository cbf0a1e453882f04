//! The fixed part at the start of an index file.

use crate::bytes::take;

/// The latest format of index files; older ones are read.
pub const FORMAT_VERSION: u32 = 3;

/// The first bytes of every index file.
pub(super) const MAGIC: &[u8; 8] = b"EEINDEX\0";

/// Bytes before the keys.
pub(super) const HEADER_BYTES: usize = 80;

/// The header's fields, in the order of the file.
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) dimension: u32,
    pub(super) count: u64,
    pub(super) sequence: u64,
    pub(super) fingerprint: [u8; 32],
    /// Length of the finder's part at the end; zero in format 1.
    pub(super) finder_bytes: u64,
    /// CRC-32 of the bytes after the header.
    pub(super) body_checksum: u32,
}

impl Header {
    /// All bytes, the header's own checksum last.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&self.dimension.to_le_bytes());
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.fingerprint);
        bytes.extend_from_slice(&self.finder_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.body_checksum.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// The version, if these are the first bytes of an index file of any release.
    pub(super) fn version(bytes: &[u8]) -> Option<u32> {
        let rest = bytes.strip_prefix(MAGIC)?;
        Some(u32::from_le_bytes(*rest.first_chunk()?))
    }

    /// Reads a header of this version; `None` if it is cut short or altered.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        let (fields, checksum) = bytes.split_last_chunk()?;
        if u32::from_le_bytes(*checksum) != crc32fast::hash(fields) {
            return None;
        }
        let mut rest = fields.strip_prefix(MAGIC)?;
        Some(Self {
            version: u32::from_le_bytes(take(&mut rest)?),
            dimension: u32::from_le_bytes(take(&mut rest)?),
            count: u64::from_le_bytes(take(&mut rest)?),
            sequence: u64::from_le_bytes(take(&mut rest)?),
            fingerprint: take(&mut rest)?,
            finder_bytes: u64::from_le_bytes(take(&mut rest)?),
            body_checksum: u32::from_le_bytes(take(&mut rest)?),
        })
    }
}
