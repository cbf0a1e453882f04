//! Knowledge as data: typed units, the links between them, and the rules that say who may see
//! which of them, when, and which version is true.
//!
//! This crate is pure. It reads no file and no clock: time and identity come in as arguments, and
//! the same input gives the same output. It does not store, embed, or rank anything.

mod entity;
mod error;
mod governance;
mod graph;
mod id;
mod resolve;
mod scope;
mod unit;
mod version;

pub use entity::Entity;
pub use error::KnowledgeError;
pub use governance::{Attributes, DomainPath, Governance, Validity};
pub use graph::{Reached, WalkBounds, walk_links};
pub use id::{CanonicalText, UnitId, canonical};
/// A point in time: UTC, kept to the millisecond wherever it is stored.
pub use jiff::Timestamp;
pub use resolve::{SourceRecord, Standing, resolve};
pub use scope::{AccessScope, Administrator, Identity};
pub use unit::{ByteSpan, Link, LinkKind, SourceId, Unit, UnitKind, UnitMetadata};
pub use version::compare_versions;
