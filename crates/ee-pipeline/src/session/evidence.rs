//! The structured side of a prompt, for sessions that work without a model.

use km_core::UnitId;

/// The structured side of a turn: what the prompt says in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The user's question.
    pub question: String,
    /// Candidates (first call) or elected units (second call), by rank.
    pub items: Vec<EvidenceItem>,
    /// Whether the items carry their full text, which is so in the second call only.
    pub injected: bool,
}

/// One candidate or elected unit.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceItem {
    /// The `n` of `[ID:n]`.
    pub rank: usize,
    /// The unit.
    pub unit: UnitId,
    /// How it is cited: the shortest unique prefix of its id, 8 digits or more.
    pub citation: String,
    /// Its summary (first call) or full text (second call).
    pub text: String,
    /// How well it fits the question: the engine's estimate that it holds the answer, 0–1.
    pub relevance: f32,
}
