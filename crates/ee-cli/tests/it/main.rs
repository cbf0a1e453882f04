//! The program as a person or a script meets it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected fails"
)]

mod commands;
#[cfg(all(feature = "test-models", target_os = "linux"))]
mod egress;
#[cfg(feature = "test-data")]
mod evaluation;
mod mistakes;
#[cfg(feature = "test-models")]
mod own_set;
#[cfg(feature = "test-models")]
mod precise;
#[cfg(feature = "test-data")]
mod reference;
#[cfg(all(feature = "test-models", unix))]
mod rows;
mod run;
#[cfg(feature = "test-models")]
mod tour;
#[cfg(feature = "test-models")]
mod tuning;
#[cfg(all(feature = "test-models", unix))]
mod watch;
