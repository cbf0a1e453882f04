//! Nearest neighbours by cosine over unit-length vectors.
//!
//! The trait is [`VectorIndex`]. This crate knows keys and vectors; it knows no text and no SQL.

mod error;
mod index;

pub use error::IndexError;
pub use index::{Filter, Neighbour, VectorIndex};
