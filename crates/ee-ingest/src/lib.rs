//! Files to knowledge units: decoding, structural parsing, splitting, summaries, links.
//!
//! [`walk`] finds the files under a path, [`read_source`] reads one within its limit, and
//! [`parse_source`] turns its bytes into units. The stages inside: bytes are decoded to canonical
//! text, a format turns the text into blocks, blocks are arranged by section and kind, cut to the
//! embedder's window, summarised and linked.
//!
//! Governance, and what a source relates to, comes from the caller, from `.eerag.yaml` files of folders, from `NAME.eerag.yaml`
//! beside a file, and from the front matter of Markdown; the nearer one refines the farther.
//!
//! The heavier formats are features, off by default: `html`, `pdf`, `docx`, and `code` for source
//! code by its syntax. `docs/ingest-formats.md` says what becomes of each format.
//!
//! This crate neither stores nor embeds: the window of the embedder comes in as a
//! [`TokenCounter`].
//!
//! ```
//! use ee_ingest::{IngestConfig, Relations, SourceInput, TokenCounter, parse_source};
//! use km_core::{Governance, SourceId, UnitKind};
//!
//! /// Counts words; a real program counts as its embedder does.
//! struct Words;
//! impl TokenCounter for Words {
//!     fn count(&self, text: &str) -> usize {
//!         text.split_whitespace().count()
//!     }
//!     fn max_tokens(&self) -> usize {
//!         256
//!     }
//! }
//!
//! let input = SourceInput {
//!     source: SourceId::new("leave.md"),
//!     bytes: b"# Leave\n\nEmployees must ask for leave two weeks ahead.".to_vec(),
//!     governance: Governance::default(),
//!     relations: Relations::default(),
//! };
//! let parsed = parse_source(&input, &IngestConfig::default(), &Words)??;
//! assert_eq!(parsed.units[0].kind, UnitKind::Rule);
//! assert_eq!(parsed.units[0].metadata.section_path, ["Leave"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assemble;
mod config;
mod context;
mod counter;
mod decode;
mod definitions;
mod document;
mod error;
mod format;
mod front_matter;
mod mapped;
mod offsets;
mod outline;
mod patterns;
mod read;
mod reference;
mod relations;
mod sentence;
mod sidecar;
mod source;
mod split;
mod summary;
mod walk;

pub use config::IngestConfig;
pub use context::embedding_text;
pub use counter::TokenCounter;
pub use error::IngestError;
pub use patterns::defined_term;
pub use read::read_source;
pub use reference::{Reference, split_reference, stands_under};
pub use relations::Relations;
pub use source::{ParsedSource, SourceInput, parse_source};
pub use walk::{Found, SkipReason, walk};
