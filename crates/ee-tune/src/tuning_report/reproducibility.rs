//! What it takes to get the same numbers again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{DataChecksum, Machine};

/// Versions, seeds, data and machine of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reproducibility {
    /// The command that gives the report again.
    pub command: String,
    /// When the run started, RFC 3339.
    pub started: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Versions by part, for example `eerag`.
    pub versions: BTreeMap<String, String>,
    /// Models by role, for example `embedder`.
    pub models: BTreeMap<String, String>,
    /// Seeds by what they seed.
    pub seeds: BTreeMap<String, u64>,
    /// The data.
    pub data: Vec<DataChecksum>,
    /// Where it ran.
    pub machine: Machine,
}
