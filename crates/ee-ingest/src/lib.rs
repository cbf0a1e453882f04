//! Files to knowledge units: decoding, structural parsing, splitting, summaries, links.
//!
//! [`parse_source`] turns the bytes of one source into units; [`walk`] finds the files under a
//! path. This crate neither stores nor embeds: the window of the embedder comes in as a
//! [`TokenCounter`].

mod config;
mod error;
mod parser;
mod source;
mod walk;

pub use config::IngestConfig;
pub use error::IngestError;
pub use parser::{Parser, TokenCounter};
pub use source::{ParsedSource, SourceInput, parse_source};
pub use walk::{Found, SkipReason, walk};
