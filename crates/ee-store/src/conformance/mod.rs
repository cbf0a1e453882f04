//! Facts that hold for every implementation of this crate's traits. Each function panics when one
//! does not; call them from a test with a function that makes an empty store or index.

#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a check that fails ends the test"
)]

mod audit;
mod conversation;
mod graph;
mod knowledge;
mod sample;
mod text;
mod threads;

pub use audit::audit_store;
pub use conversation::conversation_store;
pub use graph::graph_store;
pub use knowledge::knowledge_store;
pub use sample::{governed, hash, identity, scope, source, vector};
pub use text::text_index;
pub use threads::thread_state_store;
