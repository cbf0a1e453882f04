//! What goes from stage to stage: what is to be done about each source, in the order in which the
//! sources came.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use ee_ingest::SkipReason;
use ee_store::TenantSource;
use km_core::SourceId;

use super::prepare::PreparedSource;
use crate::knowledge::composition::ComposedText;

/// Vectors by the SHA-256 of the text that they stand for.
pub(super) type Vectors = HashMap<[u8; 32], Arc<[f32]>>;

/// What is to be done about one source.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) source: SourceId,
    /// What is stored under its name and goes.
    pub(super) gone: Vec<TenantSource>,
    pub(super) outcome: Outcome,
}

/// What became of a source.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is stored already.
    Unchanged,
    /// It is left out.
    Skipped {
        /// What the report calls it.
        path: PathBuf,
        /// Why.
        reason: SkipReason,
    },
    /// It is to be written.
    Parsed(Box<PreparedSource>),
}

/// Steps with the vectors of all their texts.
#[derive(Debug)]
pub(super) struct EmbeddedSteps {
    pub(super) steps: Vec<Step>,
    /// Hashes of texts that had vectors before.
    pub(super) known: HashSet<[u8; 32]>,
    /// The vectors of the others, and of those that may not be stored yet.
    pub(super) vectors: Arc<Vectors>,
}

impl Step {
    /// The texts that stand for its units.
    pub(super) fn texts(&self) -> &[ComposedText] {
        match &self.outcome {
            Outcome::Parsed(prepared) => &prepared.texts,
            Outcome::Unchanged | Outcome::Skipped { .. } => &[],
        }
    }
}
