//! Units, conversations and audit in SQLite, with a full-text index that follows it.
//!
//! SQLite is the single source of truth. Every read on somebody's behalf takes an
//! [`km_core::AccessScope`]; what must see everything takes a [`km_core::Administrator`]. This
//! crate neither embeds nor talks to a model.

mod audit;
mod catalogue;
mod config;
#[cfg(feature = "conformance")]
pub mod conformance;
mod conversation;
mod engine;
mod error;
mod follow;
mod graph;
mod knowledge;
mod references;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "tantivy")]
mod tantivy_index;
mod term_statistics;
#[cfg(feature = "terms")]
mod terms;
mod text;
mod threads;

pub use audit::{AuditStore, ElectedUnit, OfferedUnit, Outcome, TurnId, TurnRecord};
pub use catalogue::{SourceCatalogue, SourceState, TenantSource};
pub use config::StoreConfig;
pub use conversation::{
    ConversationId, ConversationStore, ConversationSummary, Role, StoredMessage,
};
pub use engine::{EmbeddingStore, EngineStore, TurnStore};
pub use error::{Cause, StoreError};
pub use follow::follow;
pub use graph::GraphStore;
pub use knowledge::{
    Change, ChangeBatch, KnowledgeStore, Sequence, SourceChange, SourceWrite, StoredUnit, UnitKey,
    UnitWrite, VisibleUnits,
};
pub use references::ReferenceStore;
#[cfg(feature = "sqlite")]
pub use sqlite::{Clock, SourceRecord, SqliteStore, StoreStats, TransferReport};
#[cfg(feature = "tantivy")]
pub use tantivy_index::TantivyIndex;
pub use term_statistics::{QueryTerm, QueryTerms, TermStatistics};
#[cfg(feature = "terms")]
pub use terms::{document_terms, query_terms};
pub use text::{TextHit, TextIndex};
pub use threads::{ThreadRecord, ThreadRecordKind, ThreadState, ThreadStateStore, ThreadUpdate};
