//! What can be set about a store.

use serde::{Deserialize, Serialize};

use crate::StoreError;

/// Settings of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// How many writers may stand in the queue, the one that writes included; at least 1.
    pub write_queue_depth: usize,
    /// How long a writer waits for a place in the queue, and then for its turn, in seconds; at
    /// least 1.
    pub write_wait_seconds: u64,
    /// How often a write is tried again while another process holds the write lock.
    pub write_retries: u32,
    /// Pause between two such attempts, in milliseconds.
    pub write_retry_delay_milliseconds: u64,
    /// How long one attempt waits for another process's lock, in milliseconds.
    pub busy_timeout_milliseconds: u64,
    /// Connections for reading, shared by all threads; at least 1.
    pub read_connections: u32,
    /// How many changes back removals stay listed. An index that lags further behind is rebuilt.
    pub remembered_changes: u64,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            write_queue_depth: 1_000,
            write_wait_seconds: 60,
            write_retries: 3,
            write_retry_delay_milliseconds: 1_000,
            busy_timeout_milliseconds: 5_000,
            read_connections: 8,
            remembered_changes: 1_000_000,
        }
    }
}

impl StoreConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`StoreError::Setting`] for the first setting outside its range.
    pub fn validate(&self) -> Result<(), StoreError> {
        at_least_one("store.write_queue_depth", self.write_queue_depth as u64)?;
        at_least_one("store.write_wait_seconds", self.write_wait_seconds)?;
        at_least_one("store.read_connections", self.read_connections.into())?;
        at_least_one("store.remembered_changes", self.remembered_changes)?;
        if self.busy_timeout_milliseconds > 3_600_000 {
            return Err(StoreError::Setting {
                setting: "store.busy_timeout_milliseconds",
                expected: "at most 3600000 (an hour)",
                found: self.busy_timeout_milliseconds.to_string(),
            });
        }
        Ok(())
    }
}

fn at_least_one(setting: &'static str, found: u64) -> Result<(), StoreError> {
    if found == 0 {
        return Err(StoreError::Setting {
            setting,
            expected: "at least 1",
            found: "0".to_owned(),
        });
    }
    Ok(())
}
