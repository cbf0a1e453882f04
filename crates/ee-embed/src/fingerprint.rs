//! What identifies a model: two embedders with equal fingerprints give interchangeable vectors.

use serde::{Deserialize, Serialize};

/// Identifies the model behind a set of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The model's name, for people, for example `all-MiniLM-L6-v2`.
    pub model: String,
    /// SHA-256 of the weights, lower-case hexadecimal.
    pub weights_sha256: String,
    /// Length of the vectors.
    pub dimension: usize,
    /// How token states become one vector.
    pub pooling: Pooling,
}

/// How token states become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The mean over the attended tokens.
    Mean,
    /// The state of the first token.
    Cls,
}
