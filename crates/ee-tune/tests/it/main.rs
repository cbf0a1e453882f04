//! What the tuner promises: it finds what is there, and nothing where nothing is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected fails"
)]

mod honesty;
mod planted;
mod reading;
mod resuming;
mod support;
