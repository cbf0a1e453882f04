//! What it takes to get the same numbers again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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

/// A file of the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataChecksum {
    /// Dataset and file, for example `eedag/corpus.jsonl`.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// A machine, without its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// For example `linux`.
    pub system: String,
    /// For example `x86_64`.
    pub architecture: String,
    /// What the processor calls itself; empty when it does not say.
    pub processor: String,
    /// Cores granted to this process.
    pub cores: usize,
    /// Memory in bytes, where the system tells.
    pub memory_bytes: Option<u64>,
}
