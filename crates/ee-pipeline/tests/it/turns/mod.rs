//! Turns over a real store and real indexes; only the chat model is played.

mod audit;
mod engine;
mod hostile;
mod isolation;
mod memory;
mod prompts;
#[cfg(feature = "test-server")]
mod server;
mod turn_index;
mod world;
