//! What can be set about the index.

use serde::{Deserialize, Serialize};

use crate::IndexError;

/// How an index finds near vectors without comparing with all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Method {
    /// Sign codes in partitions, as in [`LshIndex`](crate::LshIndex).
    #[default]
    Codes,
    /// Hash tables of random hyperplanes, as in [`HyperplaneLsh`](crate::HyperplaneLsh).
    Hyperplanes,
}

/// Settings of the vector index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Collections of up to this many vectors are compared one by one, without loss.
    pub exact_up_to: usize,
    /// How larger ones are searched.
    pub method: Method,
    /// The share of the true neighbours that `codes` should find for queries like the stored
    /// vectors, 0.5–0.999; more takes longer.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0.8..0.999 share linear")))]
    pub recall: f64,
    /// Random hyperplanes per hash table, 1–24; a table has 2 to this power buckets.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "4..16 hyperplanes linear")))]
    pub hash_functions: usize,
    /// Hash tables, 1–64; more find more and take more memory.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "2..32 tables logarithmic")))]
    pub hash_tables: usize,
    /// Seed of the hyperplanes and of the rotation before codes are taken; the same seed gives the same index.
    pub hash_seed: u64,
    /// Buckets looked into per query, over all tables, at least one per table; more find more
    /// and take longer.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "32..1024 buckets logarithmic")))]
    pub hash_probes: usize,
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self {
            exact_up_to: 20_000,
            method: Method::Codes,
            recall: 0.98,
            hash_functions: 8,
            hash_tables: 10,
            hash_seed: 42,
            hash_probes: 160,
        }
    }
}

impl IndexConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`IndexError::Setting`] for the first setting outside its range.
    pub fn validate(&self) -> Result<(), IndexError> {
        within(
            "index.recall",
            "between 0.5 and 0.999",
            &self.recall,
            (0.5..=0.999).contains(&self.recall),
        )?;
        within(
            "index.hash_functions",
            "between 1 and 24",
            &self.hash_functions,
            (1..=24).contains(&self.hash_functions),
        )?;
        within(
            "index.hash_tables",
            "between 1 and 64",
            &self.hash_tables,
            (1..=64).contains(&self.hash_tables),
        )?;
        within(
            "index.hash_probes",
            "at least index.hash_tables",
            &self.hash_probes,
            self.hash_probes >= self.hash_tables,
        )
    }
}

fn within(
    setting: &'static str,
    expected: &'static str,
    found: &impl ToString,
    holds: bool,
) -> Result<(), IndexError> {
    if holds {
        return Ok(());
    }
    let found = found.to_string();
    Err(IndexError::Setting {
        setting,
        expected,
        found,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_hold_and_bad_ranges_are_named() {
        IndexConfig::default().validate().unwrap();
        let bad = [
            ("hash_functions = 0", "index.hash_functions"),
            ("hash_functions = 25", "index.hash_functions"),
            ("hash_tables = 0", "index.hash_tables"),
            ("hash_probes = 9", "index.hash_probes"),
        ];
        for (text, name) in bad {
            let config: IndexConfig = toml::from_str(text).unwrap();
            let Err(IndexError::Setting { setting, .. }) = config.validate() else {
                panic!("{text} passed");
            };
            assert_eq!(setting, name);
        }
    }

    #[test]
    fn unknown_settings_are_refused() {
        assert!(toml::from_str::<IndexConfig>("hash_table = 10").is_err());
    }
}
