//! Behaviour of the crate: real models against reference values, and fetching against a server.

mod common;
#[cfg(feature = "conformance")]
mod conformance;
#[cfg(feature = "fetch")]
mod fetch;
#[cfg(feature = "test-models")]
mod models;
#[cfg(feature = "onnx")]
mod runtime;
