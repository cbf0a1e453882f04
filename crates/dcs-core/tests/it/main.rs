//! Behaviour and laws of the conversation core.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail loudly"
)]

mod classifier;
mod conversation;
mod intents;
mod laws;
mod rooms;
