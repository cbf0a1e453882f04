//! Behaviour of the crate: real models against reference values, and fetching against a server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what fails here ends the test"
)]

mod common;
#[cfg(feature = "conformance")]
mod conformance;
#[cfg(feature = "fetch")]
mod fetch;
#[cfg(feature = "test-models")]
mod models;
