//! Behaviour of the indexes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests report by panicking"
)]

mod adaptive;
mod conformance;
mod file;
mod model;
mod recall;
