//! What was decided and why: a bounded log that can be queried and exported.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{DcnId, MessageId, RankedDcn};

/// Top scores and candidates that an entry keeps.
pub(crate) const KEPT_SCORES: usize = 5;

/// An entry of the decision log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decision {
    /// A message was linked to a line of work.
    Continuity(ContinuityDecision),
    /// Context was assembled for a query.
    Selection(SelectionDecision),
    /// Lines of work were merged.
    Merge(MergeDecision),
}

impl Decision {
    /// When it was taken.
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Continuity(decision) => decision.at,
            Self::Selection(decision) => decision.at,
            Self::Merge(decision) => decision.at,
        }
    }
}

/// A message was linked to a line of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContinuityDecision {
    /// When.
    pub at: Timestamp,
    /// The message.
    pub message: MessageId,
    /// The lines of work that it was linked to.
    pub dcns: Vec<DcnId>,
    /// How it came to them.
    pub route: Route,
    /// The scorer, by name.
    pub scorer: Cow<'static, str>,
    /// Score of a new line of work.
    pub new_line: f64,
    /// The five best candidates with the signals behind their scores.
    pub candidates: Vec<RankedDcn>,
}

/// How a message came to its lines of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// The best candidate reached the threshold.
    Matched,
    /// No candidate did: a new line of work.
    Created,
    /// The caller named them.
    Given,
    /// An influential message before it had them.
    Inherited,
    /// There are none.
    Unlinked,
}

/// Whether the whole conversation was returned or a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Everything fits the budget, and everything is returned.
    Full,
    /// A selection.
    Selective,
}

/// Context was assembled for a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectionDecision {
    /// When.
    pub at: Timestamp,
    /// The lines of work that the query continues, best first.
    pub dcns: Vec<DcnId>,
    /// Messages that were candidates.
    pub candidates: usize,
    /// Candidates at or above the eligibility threshold.
    pub eligible: usize,
    /// Messages that were returned.
    pub selected: usize,
    /// The five best scores.
    pub top_scores: Vec<(MessageId, f64)>,
    /// Everything or a selection.
    pub strategy: Strategy,
    /// The scorer, by name.
    pub scorer: Cow<'static, str>,
    /// The thresholds in force.
    pub thresholds: Thresholds,
}

/// The thresholds in force when context was assembled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// Similarity below which a candidate drops out.
    pub eligibility: f64,
    /// Messages of one line of work at most.
    pub max_per_dcn: usize,
    /// Messages at most.
    pub max_messages: usize,
    /// Tokens at most.
    pub max_tokens: u64,
}

/// A younger line of work went into an older one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeDecision {
    /// When.
    pub at: Timestamp,
    /// The line of work that stays: the oldest.
    pub kept: DcnId,
    /// The one that went into it.
    pub absorbed: DcnId,
}

/// The latest decisions; the oldest go first when it is full.
#[derive(Debug, Clone, Default)]
pub struct DecisionLog {
    entries: VecDeque<Arc<Decision>>,
    max_entries: usize,
}

impl DecisionLog {
    /// An empty log of at most `max_entries`.
    pub(crate) fn new(max_entries: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            max_entries,
        }
    }

    pub(crate) fn push(&mut self, decision: Arc<Decision>) {
        self.entries.push_back(decision);
        while self.entries.len() > self.max_entries {
            self.entries.pop_front();
        }
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Decision> + ExactSizeIterator {
        self.entries.iter().map(Arc::as_ref)
    }

    /// The entries taken in the half-open interval from `from` to `to`, oldest first.
    pub fn between(&self, from: Timestamp, to: Timestamp) -> impl Iterator<Item = &Decision> {
        self.iter()
            .filter(move |decision| from <= decision.at() && decision.at() < to)
    }

    /// The latest assembly.
    pub fn last_selection(&self) -> Option<&SelectionDecision> {
        self.iter().rev().find_map(|decision| match decision {
            Decision::Selection(selection) => Some(selection),
            _ => None,
        })
    }
}
