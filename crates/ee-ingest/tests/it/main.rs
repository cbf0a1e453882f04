//! Behaviour of decoding, parsing, splitting, summaries and walking.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // a test may fail loudly

mod documents;
mod encodings;
mod front_matter;
mod laws;
mod limits;
mod support;
mod walking;
