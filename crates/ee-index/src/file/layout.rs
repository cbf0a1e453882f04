//! Where the parts of an index file lie.

use std::ops::Range;

use super::header::{HEADER_BYTES, Header};

/// The first vector lies at a multiple of so many bytes from format 3 on.
const ALIGNMENT: usize = 64;
/// The format that brought this.
const ALIGNED_SINCE: u32 = 3;

/// Bytes of the file, in its order.
pub(super) struct Layout {
    pub(super) keys: Range<usize>,
    pub(super) vectors: Range<usize>,
    pub(super) finder: Range<usize>,
}

impl Layout {
    /// `None` if the sizes that the header tells cannot be represented.
    pub(super) fn of(header: &Header) -> Option<Self> {
        let count = usize::try_from(header.count).ok()?;
        let key_end = HEADER_BYTES.checked_add(count.checked_mul(size_of::<u64>())?)?;
        let start = match header.version {
            ..ALIGNED_SINCE => key_end,
            _ => key_end.checked_next_multiple_of(ALIGNMENT)?,
        };
        let bytes_each = (header.dimension as usize).checked_mul(size_of::<f32>())?;
        let end = start.checked_add(count.checked_mul(bytes_each)?)?;
        let finder_end = end.checked_add(usize::try_from(header.finder_bytes).ok()?)?;
        Some(Self {
            keys: HEADER_BYTES..key_end,
            vectors: start..end,
            finder: end..finder_end,
        })
    }

    /// The zero bytes between the keys and the vectors.
    pub(super) fn padding(&self) -> &'static [u8] {
        const ZEROS: &[u8] = &[0; ALIGNMENT];
        let length = self.vectors.start - self.keys.end;
        ZEROS.get(..length).unwrap_or_default()
    }
}
