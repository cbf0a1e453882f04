//! What a conversation remembers: its lines of work, kept in step with its stored messages, and
//! the choice of those that matter for a question.

mod bm25;
mod config;
mod reading;
mod report;
mod thread;
mod threads;
mod turn_index;
mod turn_signals;

pub use config::MemoryConfig;
pub use reading::{ReadTurn, TurnReader};
pub use report::{ContextMessage, ContextReport};
pub(crate) use threads::{Asked, Budget, Purpose, Threads};
pub use turn_index::{IndexedTurn, TurnHit, TurnIndex};
pub use turn_signals::TurnSignals;
