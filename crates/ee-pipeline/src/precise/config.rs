//! What can be set about the precision pipeline.

use km_core::{LinkKind, WalkBounds};
use serde::{Deserialize, Serialize};

use super::{BlendConfig, MinimumConfig};
use crate::PipelineError;

/// Settings of the precision pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PreciseConfig {
    /// How many candidates of the fused ranking go on, at least 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "20..400 units logarithmic")))]
    pub candidates: usize,
    /// How many units that hold for a named entity are looked for beside them.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..40 units linear")))]
    pub routed: usize,
    /// From how many of the best candidates links are followed.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..20 units linear")))]
    pub expand_from: usize,
    /// How many links lie between a candidate and a unit reached over links, at most.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..4 links linear")))]
    pub expand_depth: usize,
    /// How many links are followed from one unit, at most.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..32 links logarithmic")))]
    pub expand_fan_out: usize,
    /// How many units are added over links, at most.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..80 units linear")))]
    pub expanded: usize,
    /// The share of its leader's fusion score that a unit reached over a link starts with, 0–1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 share linear")))]
    pub link_share: f64,
    /// How many candidates the cross-encoder reads, at most.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "5..100 units logarithmic")))]
    pub reranked: usize,
    /// Milliseconds that the cross-encoder may take; it reads no further candidates when they
    /// would likely not be done in time. 0 sets no limit.
    pub rerank_milliseconds: u64,
    /// Fusion score and cross-encoder as one probability.
    pub blend: BlendConfig,
    /// What it adds to the log-odds of a unit to be relevant that it holds for an entity that the
    /// question names or the caller holds.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..6 log-odds linear")))]
    pub entity_log_odds: f64,
    /// The share of the candidates that is dropped from the end of the ranking whatever they
    /// score, 0–1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..0.9 share linear")))]
    pub dropped_share: f64,
    /// How small the context may be.
    pub minimum: MinimumConfig,
}

impl Default for PreciseConfig {
    fn default() -> Self {
        Self {
            candidates: 100,
            routed: 10,
            expand_from: 5,
            expand_depth: 2,
            expand_fan_out: 8,
            expanded: 20,
            link_share: 0.5,
            reranked: 30,
            rerank_milliseconds: 0,
            blend: BlendConfig::default(),
            entity_log_odds: 2.5,
            dropped_share: 0.0,
            minimum: MinimumConfig::default(),
        }
    }
}

impl PreciseConfig {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`PipelineError::Setting`] for the first that is out of range.
    pub fn validate(&self) -> Result<(), PipelineError> {
        if self.candidates == 0 {
            return Err(PipelineError::Setting {
                setting: "precise.candidates",
                expected: "at least 1",
                found: "0".to_owned(),
            });
        }
        let shares = [
            ("precise.link_share", self.link_share),
            ("precise.dropped_share", self.dropped_share),
        ];
        for (setting, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return Err(PipelineError::Setting {
                    setting,
                    expected: "from 0 to 1",
                    found: share.to_string(),
                });
            }
        }
        if !self.entity_log_odds.is_finite() {
            return Err(PipelineError::Setting {
                setting: "precise.entity_log_odds",
                expected: "a finite number",
                found: self.entity_log_odds.to_string(),
            });
        }
        self.blend.validate()?;
        self.minimum.validate()
    }

    /// How links are followed from `starts` units.
    pub(crate) fn bounds(&self, starts: usize) -> WalkBounds {
        WalkBounds {
            kinds: vec![
                LinkKind::TierRule,
                LinkKind::AppliesTo,
                LinkKind::Supersedes,
                LinkKind::Defines,
                LinkKind::References,
                LinkKind::Parent,
                LinkKind::Next,
            ],
            max_depth: self.expand_depth,
            max_fan_out: self.expand_fan_out,
            max_units: starts.saturating_add(self.expanded),
        }
    }
}
