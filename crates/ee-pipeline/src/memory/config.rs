//! What can be set about the search among a conversation's own turns.

use serde::{Deserialize, Serialize};

use crate::{BlendConfig, PipelineError};

/// Settings of the search among the turns of a conversation.
///
/// The first three weights are shares of one score; the others add to it and are relative to 1,
/// the most that a turn scores by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MemoryConfig {
    /// Share of the cosine in a turn's own score, at least 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 weight linear")))]
    pub dense_weight: f64,
    /// Share of BM25 of the turn, at least 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 weight linear")))]
    pub text_weight: f64,
    /// Share of BM25 of the turn read between its neighbours, at least 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 weight linear")))]
    pub window_weight: f64,
    /// What the better of the two neighbours adds, at least 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 weight linear")))]
    pub neighbour_weight: f64,
    /// What the better of the two turns next to those adds, at least 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 weight linear")))]
    pub second_neighbour_weight: f64,
    /// What the best session adds to its turns, at least 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 weight linear")))]
    pub session_weight: f64,
    /// What it adds that the question names the speaker, at least 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 weight linear")))]
    pub speaker_weight: f64,
    /// Hours of silence after which a new session begins, above 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0.25..48 hours logarithmic")))]
    pub session_gap_hours: f64,
    /// How many candidates the precision pipeline takes from hybrid search.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "20..200 turns logarithmic")))]
    pub candidates: usize,
    /// How many of them the cross-encoder reads.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "5..100 turns logarithmic")))]
    pub reranked: usize,
    /// Score and cross-encoder as one probability, in the precision pipeline.
    pub blend: BlendConfig,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            dense_weight: 0.7,
            text_weight: 0.35,
            window_weight: 0.15,
            neighbour_weight: 0.35,
            second_neighbour_weight: 0.15,
            session_weight: 0.3,
            speaker_weight: 0.2,
            session_gap_hours: 4.0,
            candidates: 100,
            reranked: 50,
            blend: BlendConfig::of_turns(),
        }
    }
}

impl MemoryConfig {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`PipelineError::Setting`] for the first that is out of range.
    pub fn validate(&self) -> Result<(), PipelineError> {
        let weights = [
            ("memory.dense_weight", self.dense_weight),
            ("memory.text_weight", self.text_weight),
            ("memory.window_weight", self.window_weight),
            ("memory.neighbour_weight", self.neighbour_weight),
            (
                "memory.second_neighbour_weight",
                self.second_neighbour_weight,
            ),
            ("memory.session_weight", self.session_weight),
            ("memory.speaker_weight", self.speaker_weight),
        ];
        for (setting, weight) in weights {
            check(
                weight.is_finite() && weight >= 0.0,
                setting,
                "at least 0",
                weight,
            )?;
        }
        let own = self.dense_weight + self.text_weight + self.window_weight;
        let expected = "above 0 for one of dense, text and window";
        check(own > 0.0, "memory.dense_weight", expected, own)?;
        let gap = self.session_gap_hours;
        check(gap > 0.0, "memory.session_gap_hours", "above 0", gap)?;
        self.blend.validate()
    }
}

fn check(
    holds: bool,
    setting: &'static str,
    expected: &'static str,
    found: f64,
) -> Result<(), PipelineError> {
    if holds {
        return Ok(());
    }
    let found = found.to_string();
    Err(PipelineError::Setting {
        setting,
        expected,
        found,
    })
}
