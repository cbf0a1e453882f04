//! Files mapped into memory.

#![allow(unsafe_code, reason = "the memory map")]

use std::fs::File;
use std::io;

use memmap2::{MmapMut, MmapOptions};

/// Whether files can be mapped and their numbers used as they lie there. Elsewhere they are read:
/// Windows replaces no file that is mapped.
pub(crate) const MAPS: bool = cfg!(all(unix, target_endian = "little"));

/// The bytes of a whole file. What is written to them stays in this process.
pub(crate) fn map(file: &File) -> io::Result<MmapMut> {
    // SAFETY: the map is private, so nothing written here reaches the file. Index files are never
    // changed in place: `save` renames a new file over an old one, whose bytes stay as long as
    // they are mapped.
    unsafe { MmapOptions::new().map_copy(file) }
}

/// Floats of a mapped file.
pub(crate) struct MappedFloats {
    map: MmapMut,
    /// Of the first one, in bytes.
    start: usize,
    count: usize,
}

impl MappedFloats {
    /// `count` floats from byte `start`; `None` unless they lie there whole and aligned, in the
    /// order of bytes that this machine has.
    pub(crate) fn new(map: MmapMut, start: usize, count: usize) -> Option<Self> {
        let bytes = map
            .get(start..)?
            .get(..count.checked_mul(size_of::<f32>())?)?;
        let aligned = bytes.as_ptr().addr().is_multiple_of(align_of::<f32>());
        (MAPS && aligned).then_some(Self { map, start, count })
    }

    pub(crate) fn as_slice(&self) -> &[f32] {
        let start = self.map.as_ptr().wrapping_add(self.start);
        // SAFETY: `new` found so many floats within the map, aligned, and `truncate` only lowers
        // their number; every pattern of bits is a float; the map lives as long as `self`.
        unsafe { std::slice::from_raw_parts(start.cast(), self.count) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [f32] {
        let start = self.map.as_mut_ptr().wrapping_add(self.start);
        // SAFETY: as for `as_slice`; `self` is borrowed exclusively and the map is writable.
        unsafe { std::slice::from_raw_parts_mut(start.cast(), self.count) }
    }

    /// Forgets all but the first.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn mapped(start: usize, count: usize) -> Option<MappedFloats> {
        let mut file = tempfile::tempfile().unwrap();
        for number in [1.0_f32, 2.0, 3.0] {
            file.write_all(&number.to_le_bytes()).unwrap();
        }
        MappedFloats::new(map(&file).unwrap(), start, count)
    }

    #[cfg(all(unix, target_endian = "little"))]
    #[test]
    fn floats_lie_where_they_were_written() {
        let mut floats = mapped(4, 2).unwrap();
        assert_eq!(floats.as_slice(), [2.0, 3.0]);
        floats.as_mut_slice().copy_from_slice(&[5.0, 6.0]);
        floats.truncate(1);
        assert_eq!(floats.as_slice(), [5.0]);
    }

    #[test]
    fn nothing_beyond_the_file_or_between_floats_is_taken() {
        for (start, count) in [(0, 4), (4, 3), (2, 1), (16, 0), (0, usize::MAX)] {
            assert!(mapped(start, count).is_none(), "{count} from {start}");
        }
    }
}
