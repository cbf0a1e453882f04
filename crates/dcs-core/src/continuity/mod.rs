//! Which line of work a message continues: candidates, and the trait of a scorer.

mod basic;
mod candidates;
mod cues;
mod features;
mod learned;
mod selection;
mod stage;
mod weights;

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use basic::BasicScorer;
pub(crate) use candidates::candidates;
pub use cues::{CueWords, Cues};
pub(crate) use features::{Evidence, FEATURES, Situation};
pub use learned::LearnedScorer;
pub use selection::SelectionModel;
pub use weights::{ContinuityWeights, SelectionWeights, StageWeights, WeightSet};

use crate::{
    Addresses, Dcn, DcnId, DcsKey, History, MessageId, MessageRecord, QuantizedVector, TermSet,
};

/// A message that looks for its line of work. Its key has no lines of work yet.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// Who said it.
    pub speaker: &'a str,
    /// When it was said.
    pub at: Timestamp,
    /// Its intents and domains.
    pub key: &'a DcsKey,
    /// Its content terms.
    pub terms: &'a TermSet,
    /// Cues in its words.
    pub cues: &'a Cues,
    /// Whom it speaks to.
    pub addresses: &'a Addresses,
    /// Its embedding.
    pub embedding: Option<&'a QuantizedVector>,
}

/// One signal behind a score: what was seen, and what it contributed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// The signal's name.
    pub name: Cow<'static, str>,
    /// What was seen.
    pub value: f64,
    /// Its weight; the contribution is the product of the two.
    pub weight: f64,
}

/// A line of work with its score for a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedDcn {
    /// The line of work.
    pub dcn: DcnId,
    /// Its score, 0 to 1.
    pub score: f64,
    /// Why. Shared by what is kept of a decision.
    pub signals: Arc<[Signal]>,
}

/// The candidates of a message, best first, and the score that a line of work must reach.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The candidates, best score first, then smaller id.
    pub candidates: Vec<RankedDcn>,
    /// Score of starting a new line of work, 0 to 1: a candidate at or above it wins.
    pub new_line: f64,
    /// The most likely links to single messages with their probabilities, best first; empty where
    /// the scorer does not look at single messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<(MessageId, f64)>,
}

impl Ranking {
    /// Sorts the candidates: best score first, then smaller id.
    pub fn new(mut candidates: Vec<RankedDcn>, new_line: f64) -> Self {
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.dcn.cmp(&b.dcn)));
        Self {
            candidates,
            new_line,
            links: Vec::new(),
        }
    }

    /// The line of work that wins; `None` when a new one starts.
    pub fn winner(&self) -> Option<DcnId> {
        let best = self.candidates.first()?;
        (best.score >= self.new_line).then_some(best.dcn)
    }

    /// The score of a line of work, 0 when it was no candidate.
    pub fn score(&self, dcn: DcnId) -> f64 {
        let ranked = self.candidates.iter().find(|ranked| ranked.dcn == dcn);
        ranked.map_or(0.0, |ranked| ranked.score)
    }
}

/// Scores lines of work against a message, and against each other. Deterministic: the same
/// message, candidates and history give the same ranking.
pub trait ContinuityScorer: Send + Sync {
    /// The scorer's name, for the decision log.
    fn name(&self) -> &'static str;

    /// Ranks the candidates for a message.
    fn rank(&self, incoming: &Incoming<'_>, candidates: &[DcnId], history: &History) -> Ranking;

    /// Whether the answer `incoming` calls for a second look at the question before it, so that
    /// the two are placed together.
    fn revises(
        &self,
        _question: &MessageRecord,
        _incoming: &Incoming<'_>,
        _history: &History,
    ) -> bool {
        false
    }

    /// Ranks the candidates for a question and its answer as one. `first` is the ranking of the
    /// question alone, and `history` holds neither of the two.
    fn revise(
        &self,
        exchange: &Incoming<'_>,
        _first: &Ranking,
        candidates: &[DcnId],
        history: &History,
    ) -> Ranking {
        self.rank(exchange, candidates, history)
    }

    /// What tells which earlier messages bear on a query; `None` leaves it to the keys.
    fn selection(&self, _query: &Incoming<'_>, _history: &History) -> Option<&SelectionModel> {
        None
    }

    /// How much two lines of work are one, 0 to 1.
    fn affinity(&self, left: &Dcn, right: &Dcn, history: &History) -> f64;

    /// The affinity from which two lines of work merge.
    fn merge_threshold(&self) -> f64;
}
