//! Behaviour of the knowledge base, with real SQLite and tantivy and an embedder without a model.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod bad_input;
mod folders;
mod maintenance;
mod processes;
#[cfg(feature = "test-models")]
mod quality;
mod rounds;
mod searching;
mod support;
