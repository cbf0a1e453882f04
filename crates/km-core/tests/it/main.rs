//! Behaviour of units, ids, governance, resolution and walks.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test may fail loudly

mod arbitrary;
mod governance;
mod ids;
mod resolution;
mod versions;
mod walks;
