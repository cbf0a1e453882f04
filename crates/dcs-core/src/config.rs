//! Settings of a conversation. `validate` is called once, when a conversation is made.

use serde::{Deserialize, Serialize};

use crate::DcsError;

/// Everything that can be set, with defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ConversationConfig {
    /// Weights of the parts of a key.
    pub key: KeyWeights,
    /// Matching of messages to lines of work.
    pub matching: MatchingConfig,
    /// Influence of a message on later ones.
    pub influence: InfluenceConfig,
    /// Assembly of the context for a query.
    pub assembly: AssemblyConfig,
    /// Entries that the decision log keeps; the oldest go first.
    pub log: LogConfig,
}

/// Weights of the parts of a key, each at least 0, summing to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct KeyWeights {
    /// Weight of the intents.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 part linear")))]
    pub intents: f64,
    /// Weight of the lines of work.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 part linear")))]
    pub dcns: f64,
    /// Weight of the domains.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 part linear")))]
    pub domains: f64,
}

impl Default for KeyWeights {
    fn default() -> Self {
        Self {
            intents: 0.5,
            dcns: 0.3,
            domains: 0.2,
        }
    }
}

/// A scorer of continuity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ScorerKind {
    /// A linear model over shared terms, cues, state of the lines of work, and embeddings.
    Learned,
    /// Topic Jaccard × recency.
    Basic,
}

/// Matching of messages to lines of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MatchingConfig {
    /// Which scorer finds the line of work of a message.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "choice")))]
    pub scorer: ScorerKind,
    /// Decay constant τ of a line of work, in hours; above 0.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..336 hours logarithmic")))]
    pub tau_hours: f64,
    /// Score, 0 to 1, from which the basic scorer joins a message to a line of work.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0.05..0.9 score linear")))]
    pub basic_threshold: f64,
    /// Score, 0 to 1, from which the basic scorer merges two lines of work.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0.3..1 score linear")))]
    pub basic_merge_threshold: f64,
    /// Most recently active lines of work that are candidates for every message; at least 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "2..64 lines logarithmic")))]
    pub recent_candidates: usize,
    /// Further lines of work that are candidates for sharing rare terms.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..32 lines linear")))]
    pub evidence_candidates: usize,
    /// Most recently active lines of work that a merge compares with each other.
    pub merge_candidates: usize,
}

impl Default for MatchingConfig {
    fn default() -> Self {
        Self {
            scorer: ScorerKind::Learned,
            tau_hours: 24.0,
            basic_threshold: 0.3,
            basic_merge_threshold: 0.75,
            recent_candidates: 16,
            evidence_candidates: 6,
            merge_candidates: 256,
        }
    }
}

/// Influence of a message on later ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InfluenceConfig {
    /// Added when the two share a line of work.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 influence linear")))]
    pub shared_dcn: f64,
    /// Added when they share a domain.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 influence linear")))]
    pub shared_domain: f64,
    /// Added when talk turns into action.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 influence linear")))]
    pub escalation: f64,
    /// Influence from which a message without a line of work inherits one.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0.1..1 influence linear")))]
    pub inherit_threshold: f64,
    /// Messages before a message that are looked at; at least 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "1..6 messages linear")))]
    pub window_messages: usize,
}

impl Default for InfluenceConfig {
    fn default() -> Self {
        Self {
            shared_dcn: 0.6,
            shared_domain: 0.2,
            escalation: 0.3,
            inherit_threshold: 0.5,
            window_messages: 2,
        }
    }
}

/// Assembly of the context for a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AssemblyConfig {
    /// Similarity, 0 to 1, below which a candidate drops out.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..0.6 similarity linear")))]
    pub eligibility_threshold: f64,
    /// Messages of one line of work at most; at least 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "2..100 messages logarithmic")))]
    pub max_per_dcn: usize,
    /// Most recent messages taken as candidates from each index entry; at least 1.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "10..400 messages logarithmic")))]
    pub candidates_per_entry: usize,
    /// Influence from which a soft link brings its other end in as a candidate.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 influence linear")))]
    pub link_threshold: f64,
    /// How strongly recency orders, 0 (not at all) to 1 (in full): the weight's exponent.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 exponent linear")))]
    pub recency_exponent: f64,
    /// Share of a context, 0 to 1, that goes first to messages that a search found.
    #[cfg_attr(feature = "schema", schemars(extend("tune" = "0..1 share linear")))]
    pub found_share: f64,
}

impl Default for AssemblyConfig {
    fn default() -> Self {
        Self {
            eligibility_threshold: 0.1,
            max_per_dcn: 20,
            candidates_per_entry: 100,
            link_threshold: 0.5,
            recency_exponent: 0.0,
            found_share: 0.3,
        }
    }
}

/// The decision log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// Entries that are kept.
    pub max_entries: usize,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self { max_entries: 1000 }
    }
}

impl ConversationConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`DcsError::Setting`] names the first setting outside its range.
    pub fn validate(&self) -> Result<(), DcsError> {
        self.key.validate()?;
        let matching = &self.matching;
        positive("matching.tau_hours", matching.tau_hours)?;
        unit("matching.basic_threshold", matching.basic_threshold)?;
        unit(
            "matching.basic_merge_threshold",
            matching.basic_merge_threshold,
        )?;
        at_least_one("matching.recent_candidates", matching.recent_candidates)?;
        let influence = &self.influence;
        unit("influence.shared_dcn", influence.shared_dcn)?;
        unit("influence.shared_domain", influence.shared_domain)?;
        unit("influence.escalation", influence.escalation)?;
        unit("influence.inherit_threshold", influence.inherit_threshold)?;
        at_least_one("influence.window_messages", influence.window_messages)?;
        let assembly = &self.assembly;
        unit(
            "assembly.eligibility_threshold",
            assembly.eligibility_threshold,
        )?;
        unit("assembly.found_share", assembly.found_share)?;
        at_least_one("assembly.max_per_dcn", assembly.max_per_dcn)?;
        at_least_one(
            "assembly.candidates_per_entry",
            assembly.candidates_per_entry,
        )?;
        unit("assembly.link_threshold", assembly.link_threshold)?;
        unit("assembly.recency_exponent", assembly.recency_exponent)
    }
}

impl KeyWeights {
    fn validate(self) -> Result<(), DcsError> {
        unit("key.intents", self.intents)?;
        unit("key.dcns", self.dcns)?;
        unit("key.domains", self.domains)?;
        let sum = self.intents + self.dcns + self.domains;
        check(
            "key",
            "three weights that sum to 1",
            &sum,
            (sum - 1.0).abs() < 1e-6,
        )
    }
}

fn unit(setting: &'static str, value: f64) -> Result<(), DcsError> {
    check(setting, "from 0 to 1", &value, (0.0..=1.0).contains(&value))
}

fn positive(setting: &'static str, value: f64) -> Result<(), DcsError> {
    check(
        setting,
        "a finite number above 0",
        &value,
        value.is_finite() && value > 0.0,
    )
}

fn at_least_one(setting: &'static str, value: usize) -> Result<(), DcsError> {
    check(setting, "at least 1", &value, value > 0)
}

fn check(
    setting: &'static str,
    expected: &'static str,
    value: &impl ToString,
    holds: bool,
) -> Result<(), DcsError> {
    if holds {
        return Ok(());
    }
    Err(DcsError::Setting {
        setting,
        expected,
        found: value.to_string(),
    })
}
