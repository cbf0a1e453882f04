//! Behaviour and laws of the conversation core.

mod classifier;
mod conversation;
mod laws;
