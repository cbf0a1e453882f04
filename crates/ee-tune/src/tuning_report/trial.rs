//! One setting that was tried.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Interval;

/// A trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number, from 0 in the order of the search.
    pub number: usize,
    /// Where it comes from, for example `default`, `random`, `tpe`.
    pub origin: String,
    /// The settings by key, for example `search.dense_weight`.
    pub parameters: BTreeMap<String, ParameterValue>,
    /// What came of it.
    pub outcome: TrialOutcome,
    /// Questions that it was measured on.
    pub questions: usize,
    /// Means by objective; empty for a failed trial.
    pub objectives: BTreeMap<String, f64>,
    /// 95% bootstrap intervals of those objectives that are means over questions.
    #[serde(default)]
    pub intervals: BTreeMap<String, Interval>,
    /// Wall time, in seconds.
    pub seconds: f64,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// Measured on every question.
    Finished,
    /// Given up early, for example by successive halving.
    Stopped,
    /// Not measured; the text says why.
    Failed(String),
}

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    /// On or off.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A word, for example a model's name.
    Text(String),
}

impl ParameterValue {
    /// The value as a number, where it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            Self::Flag(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}
