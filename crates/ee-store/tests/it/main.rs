//! The behaviour of the store and its text index, as a program sees it.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what fails here ends the test"
)]

#[cfg(feature = "sqlite")]
mod opening;
#[cfg(all(feature = "sqlite", feature = "tantivy"))]
mod processes;
#[cfg(feature = "sqlite")]
mod properties;
#[cfg(feature = "sqlite")]
mod scope;
#[cfg(feature = "sqlite")]
mod sources;
#[cfg(feature = "sqlite")]
mod sqlite_conformance;
#[cfg(feature = "sqlite")]
mod support;
#[cfg(feature = "tantivy")]
mod text_conformance;
#[cfg(all(feature = "sqlite", feature = "tantivy"))]
mod text_index;
#[cfg(feature = "sqlite")]
mod transfer;
#[cfg(feature = "sqlite")]
mod writing;
