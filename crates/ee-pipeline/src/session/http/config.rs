//! How long a call may take, and how often it is tried.

use serde::{Deserialize, Serialize};

use crate::ChatError;

/// How long each stage of a call may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TimeoutConfig {
    /// Until the connection stands, in seconds.
    pub connect_seconds: f64,
    /// From the request to the first byte of the answer, in seconds. A local model reads its
    /// whole prompt in this time.
    pub first_byte_seconds: f64,
    /// From one piece of the answer to the next, in seconds.
    pub next_byte_seconds: f64,
    /// The whole call without its retries, in seconds.
    pub overall_seconds: f64,
}

impl Default for TimeoutConfig {
    fn default() -> Self {
        Self {
            connect_seconds: 10.0,
            first_byte_seconds: 120.0,
            next_byte_seconds: 60.0,
            overall_seconds: 600.0,
        }
    }
}

/// How often a call is tried again after 429, a 5xx status, or a connection that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RetryConfig {
    /// Tries after the first; 0 switches retries off.
    pub max_retries: u32,
    /// The first pause, in seconds; each further one is twice as long.
    pub first_pause_seconds: f64,
    /// The longest pause, in seconds. A server that asks for a longer one is not tried again.
    pub max_pause_seconds: f64,
    /// Seed of the pauses' random part; absent takes one from the operating system, so that many
    /// clients do not come back at the same moment.
    pub jitter_seed: Option<u64>,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self {
            max_retries: 3,
            first_pause_seconds: 0.5,
            max_pause_seconds: 30.0,
            jitter_seed: None,
        }
    }
}

impl TimeoutConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`ChatError::Setting`] for a time that is not above 0.
    pub fn validate(&self) -> Result<(), ChatError> {
        positive("connect_seconds", self.connect_seconds)?;
        positive("first_byte_seconds", self.first_byte_seconds)?;
        positive("next_byte_seconds", self.next_byte_seconds)?;
        positive("overall_seconds", self.overall_seconds)
    }
}

impl RetryConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`ChatError::Setting`] for a pause that is not above 0.
    pub fn validate(&self) -> Result<(), ChatError> {
        positive("first_pause_seconds", self.first_pause_seconds)?;
        positive("max_pause_seconds", self.max_pause_seconds)
    }
}

fn positive(setting: &'static str, value: f64) -> Result<(), ChatError> {
    if value > 0.0 && value <= 1e6 {
        return Ok(());
    }
    Err(ChatError::Setting {
        setting,
        expected: "above 0 and at most 1000000",
        found: value.to_string(),
    })
}
