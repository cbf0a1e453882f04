//! Whether store, model and indexes fit together, and the command that mends what does not.

use ee_index::IndexConfig;
use ee_store::{Sequence, StoreError};
use km_core::Administrator;
use serde::{Deserialize, Serialize};

use super::KnowledgeParts;
use super::base::fingerprint_text;
use super::vectors::VectorFollower;

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealthReport {
    /// The model behind the stored vectors; absent before the first.
    pub stored_model: Option<String>,
    /// The configured model.
    pub given_model: String,
    /// The full-text index.
    pub text: IndexState,
    /// The vector index as it was kept in its file.
    pub vectors: IndexState,
    /// What is wrong. Empty when all is sound.
    pub findings: Vec<HealthFinding>,
}

/// How far an index has followed the store. One that lags catches up at the next search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexState {
    /// Where the index stands.
    pub reached: Sequence,
    /// Whether the store can lead it on from there; otherwise it is rebuilt.
    pub can_follow: bool,
}

/// Something wrong, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthFinding {
    /// What was found.
    pub problem: String,
    /// The command that mends it.
    pub remedy: String,
}

impl HealthReport {
    /// Looks at everything; reads the whole database. What cannot be read is a finding.
    pub fn of(parts: &KnowledgeParts, capability: Administrator) -> Self {
        let given_model = fingerprint_text(parts.embedder.fingerprint());
        let mut findings = Vec::new();
        let mut note = |problem: &dyn std::fmt::Display, remedy: &str| {
            findings.push(HealthFinding {
                problem: problem.to_string(),
                remedy: remedy.to_owned(),
            });
        };
        if let Err(error) = parts.store.check_integrity(capability) {
            note(
                &error,
                "restore a backup, or `eerag export` and `eerag import` into a new file",
            );
        }
        let stored_model = parts.store.fingerprint().unwrap_or_else(|error| {
            note(&error, "restore a backup");
            None
        });
        if stored_model
            .as_ref()
            .is_some_and(|stored| *stored != given_model)
        {
            note(&"the store's vectors are another model's", "eerag reembed");
        }
        let text = parts
            .text
            .sequence()
            .map(|reached| state(parts, capability, reached));
        let text = text.unwrap_or_else(|error| {
            note(&error, "eerag reindex");
            IndexState::default()
        });
        let reached = kept_vectors(parts, &given_model).unwrap_or_else(|error| {
            note(&error, "eerag reindex");
            0
        });
        let vectors = state(parts, capability, reached);
        Self {
            stored_model,
            given_model,
            text,
            vectors,
            findings,
        }
    }

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

fn state(parts: &KnowledgeParts, capability: Administrator, reached: Sequence) -> IndexState {
    let followed = parts.store.changes_since(capability, reached, 1);
    let can_follow = !matches!(
        followed,
        Err(StoreError::ChangesPruned { .. } | StoreError::IndexAhead { .. })
    );
    IndexState {
        reached,
        can_follow,
    }
}

/// Where the index in the file stands; 0 without a file.
fn kept_vectors(parts: &KnowledgeParts, model: &str) -> Result<Sequence, crate::PipelineError> {
    // The file holds vectors only, so any settings do.
    let place = parts.vector_place(model, &IndexConfig::default())?;
    Ok(VectorFollower::load(place)?.reached())
}
