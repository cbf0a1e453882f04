//! The index in a file; the layout is described in `docs/index-format.md`.

mod header;
mod layout;
mod map;
mod read;
mod write;

use crate::components::Components;
use crate::vectors::Vectors;
pub use header::FORMAT_VERSION;
pub(crate) use map::MappedFloats;
pub(crate) use read::load;
pub(crate) use write::save;

/// What goes into a file.
pub(crate) struct Contents<'a> {
    pub(crate) dimension: usize,
    pub(crate) sequence: u64,
    pub(crate) fingerprint: [u8; 32],
    pub(crate) keys: &'a [u64],
    pub(crate) components: &'a Components,
    /// From [`Finder::to_bytes`](crate::finder::Finder::to_bytes).
    pub(crate) finder: &'a [u8],
}

/// What a file held.
pub(crate) struct Loaded {
    pub(crate) sequence: u64,
    pub(crate) fingerprint: [u8; 32],
    pub(crate) vectors: Vectors,
    /// Empty if no finder was kept.
    pub(crate) finder: Vec<u8>,
}
