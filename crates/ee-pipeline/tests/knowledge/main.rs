//! Behaviour of the knowledge base, with real SQLite and tantivy and an embedder without a model.

mod bad_input;
mod folders;
mod maintenance;
mod processes;
#[cfg(feature = "test-models")]
mod quality;
mod rounds;
mod searching;
mod support;
