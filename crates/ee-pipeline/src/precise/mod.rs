//! The precision pipeline: from a question to the smallest context that is likely enough to hold
//! the answer.
//!
//! Seven stages, each replaceable, each with its trace: [`ScopeAndRoute`], [`Candidates`],
//! [`Expand`], [`Resolve`], [`Rerank`], [`Minimise`], [`Frame`].

mod blend;
mod candidates;
mod config;
mod expand;
mod framing;
mod lead;
mod minimise;
mod minimum;
mod pair;
mod pipeline;
mod rerank;
mod resolve;
mod retrieval;
mod scope;
mod tiers;
mod trace;

pub use blend::{BlendConfig, BlendEvidence, BlendRow, BlendWeights};
pub use candidates::Candidates;
pub use config::PreciseConfig;
pub use expand::Expand;
pub use framing::{ContextFrame, Frame};
pub use minimise::Minimise;
pub use minimum::{CalibrationPoint, MinimumConfig, MinimumContext};
pub use pipeline::{PrecisePipeline, Stage};
pub use rerank::Rerank;
pub use resolve::Resolve;
pub use retrieval::{Candidate, Origin, Retrieval};
pub use scope::ScopeAndRoute;
pub use trace::StageTrace;
