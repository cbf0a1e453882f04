//! Behaviour of the knowledge base, with real SQLite and tantivy and an embedder without a model.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod bad_input;
mod folders;
mod linking;
mod maintenance;
mod precise;
mod prepared;
mod processes;
#[cfg(feature = "test-models")]
mod quality;
mod rounds;
#[cfg(feature = "test-models")]
mod routing;
mod scope;
mod searching;
mod support;
