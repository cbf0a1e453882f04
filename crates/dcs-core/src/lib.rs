//! Dynamic Context Selection: which earlier messages of a conversation a model sees, and why.
//!
//! A [`Conversation`] files every message under its intents, its domains, and its line of work
//! (a [`Dcn`]), and assembles the context for a query from them. This crate is pure: it reads no
//! clock and no file, draws no random number and starts no thread; time is passed in, and the same
//! calls give the same results. It does not keep texts, embed, or call a model.
//!
//! ```
//! use dcs_core::{Conversation, ConversationConfig, NewMessage, Query};
//! use jiff::Timestamp;
//!
//! let mut conversation = Conversation::new(ConversationConfig::default())?;
//! let at: Timestamp = "2026-03-02T09:00:00Z".parse().expect("a valid time");
//! conversation.register(NewMessage {
//!     speaker: "user",
//!     text: "The login endpoint returns 401 after an hour.",
//!     at,
//!     tokens: 11,
//!     embedding: None,
//! })?;
//! let assembly = conversation.assemble(&Query {
//!     speaker: "user",
//!     text: "How do we fix the login endpoint?",
//!     at,
//!     embedding: None,
//!     max_messages: 10,
//!     max_tokens: 2000,
//!     found: &[],
//! })?;
//! assert_eq!(assembly.messages.len(), 1);
//! # Ok::<(), dcs_core::DcsError>(())
//! ```

mod addresses;
mod assemble;
mod classifier;
mod config;
mod continuity;
mod conversation;
mod dcn;
mod decision;
mod domain;
mod error;
mod evidence;
mod framing;
mod functions;
mod history;
mod influence;
mod intent;
mod key;
mod merge;
mod message;
mod pattern_classifier;
mod patterns;
mod recency;
mod register;
mod revise;
mod state;
mod terms;
mod vector;

pub use addresses::Addresses;
pub use assemble::{Assembly, Query, Reason, Selected};
pub use classifier::{Classifier, Labels};
pub use config::{
    AssemblyConfig, ConversationConfig, InfluenceConfig, KeyWeights, LogConfig, MatchingConfig,
    ScorerKind,
};
pub use continuity::{
    BasicScorer, ContinuityScorer, ContinuityWeights, CueWords, Cues, Incoming, LearnedScorer,
    RankedDcn, Ranking, SelectionModel, SelectionWeights, Signal, StageWeights, WeightSet,
};
pub use conversation::Conversation;
pub use dcn::{Dcn, DcnId, Topics};
pub use decision::{
    ContinuityDecision, Decision, DecisionLog, MergeDecision, Route, SelectionDecision, Strategy,
    Thresholds,
};
pub use domain::DomainId;
pub use error::DcsError;
pub use evidence::Evidence;
pub use functions::fingerprints;
pub use history::History;
pub use influence::influence;
pub use intent::Intent;
pub use key::{DcsKey, jaccard};
pub use message::{MessageId, MessageRecord, NewMessage, SoftLink};
pub use pattern_classifier::PatternClassifier;
pub use patterns::PatternFile;
pub use recency::{age_hours, recency_weight};
pub use register::{FunctionReuse, Registration};
pub use state::{ConversationState, Pending, STATE_VERSION};
pub use terms::{TermHash, TermSet};
pub use vector::QuantizedVector;
