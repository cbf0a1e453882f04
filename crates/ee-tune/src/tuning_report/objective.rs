//! What trials are judged by.

use serde::{Deserialize, Serialize};

/// An objective of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objective {
    /// Its name, the key in [`Trial::objectives`](super::Trial::objectives), for example `ndcg@10`.
    pub name: String,
    /// What it stands for.
    pub role: ObjectiveRole,
    /// Which way is better.
    pub direction: Direction,
    /// Its unit, for example `tokens a turn`; empty for a share.
    pub unit: String,
}

/// What an objective stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectiveRole {
    /// How good the result is.
    Quality,
    /// What it costs in tokens.
    Tokens,
    /// What it costs in time.
    Time,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// More is better.
    Maximise,
    /// Less is better.
    Minimise,
}
