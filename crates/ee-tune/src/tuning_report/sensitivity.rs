//! What a parameter does to the deciding objective.

use serde::{Deserialize, Serialize};

use super::ParameterValue;
use crate::Interval;

/// A parameter's influence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// The parameter's key.
    pub parameter: String,
    /// What it means, in a few words; may be empty.
    pub description: String,
    /// Its value before the search.
    pub default: ParameterValue,
    /// The best trial's value.
    pub best: ParameterValue,
    /// Share of the objective's variance among trials that the parameter accounts for, 0 to 1.
    pub importance: f64,
    /// The deciding objective along the parameter, by rising value.
    pub points: Vec<SensitivityPoint>,
}

/// The deciding objective at one value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SensitivityPoint {
    /// The value.
    pub value: ParameterValue,
    /// The objective there.
    pub objective: f64,
    /// Its 95% bootstrap interval, where it is a mean over questions.
    #[serde(default)]
    pub interval: Option<Interval>,
}
