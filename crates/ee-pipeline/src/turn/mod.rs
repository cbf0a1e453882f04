//! The five layers: one turn from question to audited answer.
//!
//! - [`header`]: summaries first;
//! - [`election`]: what the model asks to read;
//! - [`injection`] and [`frame`]: elected text, in the second call only;
//! - [`reply`]: what of a reply is shown and kept, and the tags of [`tag`];
//! - [`digestion`]: elected text distilled before it is injected.
//!
//! [`Engine`] runs them in order, between the two phases of the audit.

mod audit;
mod calls;
mod citation;
mod digestion;
mod election;
mod engine;
mod escape;
mod frame;
mod header;
mod injection;
mod offer;
mod prompt;
mod reply;
mod request;
mod stopwatch;
mod tag;
mod tokens;

pub use audit::{AuditedUnit, resolve_tag};
pub use digestion::DigestionMethod;
pub use engine::Engine;
pub(crate) use frame::framed;
pub use injection::TransientText;
pub use request::{TurnRequest, TurnResult};
pub(crate) use tag::without_tags;
pub use tokens::TokenEstimator;

/// The fixed answer of a turn whose context does not hold the answer.
pub const INSUFFICIENT_DATA: &str = "INSUFFICIENT DATA";
