//! The default scorer: a linear model over the evidence of single links.
//!
//! Every candidate link and "new line of work" get a score `w · x`; a softmax over all of them
//! gives probabilities, and those of the links into one line of work are summed. See
//! `docs/dcs.md` for the evidence and for where the weights come from.

use std::collections::BTreeMap;

use crate::continuity::features::{FEATURES, Row, rows};
use crate::continuity::weights::{ContinuityWeights, StageWeights};
use crate::continuity::{ContinuityScorer, Incoming, RankedDcn, Ranking, Signal};
use crate::evidence::first_score;
use crate::{Dcn, DcnId, DcsError, History, MessageRecord};

/// Strongest signals that an explanation keeps.
const KEPT_SIGNALS: usize = 6;
/// Affinity from which lines of work merge: the first message of the younger one was nearly as
/// likely to continue the older one.
const MERGE_THRESHOLD: f64 = 0.5;

/// The learned scorer, with one set of weights for embedded messages and one for those without.
#[derive(Debug, Clone)]
pub struct LearnedScorer {
    embedded: Stages,
    words: Stages,
    assistants: Vec<String>,
}

#[derive(Debug, Clone)]
struct Stages {
    message: Stage,
    exchange: Stage,
}

#[derive(Debug, Clone)]
struct Stage {
    weights: Vec<f64>,
    new_line_bias: f64,
}

impl Stage {
    fn new(weights: &StageWeights) -> Self {
        Self {
            weights: weights.dense(),
            new_line_bias: weights.new_line_bias,
        }
    }
}

impl Stages {
    fn new(weights: &ContinuityWeights) -> Self {
        Self {
            message: Stage::new(&weights.message),
            exchange: Stage::new(&weights.exchange),
        }
    }
}

impl LearnedScorer {
    /// A scorer with the given weights. `assistants` are the speakers whose messages answer the
    /// message before them.
    pub fn new(
        embedded: &ContinuityWeights,
        words: &ContinuityWeights,
        assistants: Vec<String>,
    ) -> Self {
        Self {
            embedded: Stages::new(embedded),
            words: Stages::new(words),
            assistants,
        }
    }

    /// A scorer with the weights that come with this crate, for conversations in which the
    /// speaker `assistant` answers.
    ///
    /// # Errors
    /// Those of [`ContinuityWeights::parse`]; the tests read the built-in weights.
    pub fn built_in() -> Result<Self, DcsError> {
        let embedded = ContinuityWeights::assistant_with_embeddings()?;
        let words = ContinuityWeights::assistant_without_embeddings()?;
        Ok(Self::new(&embedded, &words, vec!["assistant".to_owned()]))
    }

    fn stages(&self, incoming: &Incoming<'_>) -> &Stages {
        if incoming.embedding.is_some() {
            &self.embedded
        } else {
            &self.words
        }
    }
}

impl ContinuityScorer for LearnedScorer {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn rank(&self, incoming: &Incoming<'_>, candidates: &[DcnId], history: &History) -> Ranking {
        let rows = rows(incoming, candidates, history, None);
        ranking(&rows, &self.stages(incoming).message)
    }

    fn revises(&self, question: &MessageRecord, incoming: &Incoming<'_>) -> bool {
        let answers = |speaker: &str| self.assistants.iter().any(|name| name == speaker);
        answers(incoming.speaker) && !question.speaker.is_empty() && !answers(&question.speaker)
    }

    fn revise(
        &self,
        exchange: &Incoming<'_>,
        first: &Ranking,
        candidates: &[DcnId],
        history: &History,
    ) -> Ranking {
        let score = |dcn| first_score(first, dcn);
        let rows = rows(exchange, candidates, history, Some(&score));
        ranking(&rows, &self.stages(exchange).exchange)
    }

    fn affinity(&self, left: &Dcn, right: &Dcn, history: &History) -> f64 {
        let (older, younger) = if left.id < right.id {
            (left, right)
        } else {
            (right, left)
        };
        let members = history.members(younger.id).iter();
        let shares = members
            .filter_map(|id| history.message(*id))
            .map(|message| {
                let of = |dcn: DcnId| {
                    let found = message.memberships.iter().find(|(id, _)| *id == dcn);
                    found.map_or(0.0, |(_, share)| *share)
                };
                let (old, own) = (of(older.id), of(younger.id));
                old / (old + own).max(1e-9)
            });
        let shares: Vec<f64> = shares.collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    }

    fn merge_threshold(&self) -> f64 {
        MERGE_THRESHOLD
    }
}

/// Softmax over all rows, summed per line of work.
fn ranking(rows: &[Row], stage: &Stage) -> Ranking {
    let scores: Vec<f64> = rows.iter().map(|row| score(row, stage)).collect();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|score| (score - top).exp()).sum();
    let mut lines: BTreeMap<DcnId, (f64, f64, &Row)> = BTreeMap::new();
    let mut new_line = 0.0;
    for (row, score) in rows.iter().zip(&scores) {
        let share = (score - top).exp() / total;
        match row.link {
            None => new_line += share,
            Some((dcn, _)) => {
                let line = lines.entry(dcn).or_insert((0.0, share, row));
                line.0 += share;
                if share > line.1 {
                    (line.1, line.2) = (share, row);
                }
            }
        }
    }
    let ranked = lines.into_iter().map(|(dcn, (score, _, best))| RankedDcn {
        dcn,
        score,
        signals: signals(best, stage),
    });
    Ranking::new(ranked.collect(), new_line)
}

fn score(row: &Row, stage: &Stage) -> f64 {
    let sum: f64 = row
        .values
        .iter()
        .zip(&stage.weights)
        .map(|(x, w)| x * w)
        .sum();
    if row.link.is_none() {
        sum + stage.new_line_bias
    } else {
        sum
    }
}

/// The evidence of the best link that contributed most.
fn signals(row: &Row, stage: &Stage) -> Vec<Signal> {
    let evidence = FEATURES.iter().zip(&row.values).zip(&stage.weights);
    let mut signals: Vec<(&str, f64, f64)> = evidence
        .map(|((name, value), weight)| (*name, *value, *weight))
        .filter(|(_, value, weight)| value * weight != 0.0)
        .collect();
    signals.sort_by(|a, b| (b.1 * b.2).abs().total_cmp(&(a.1 * a.2).abs()));
    let strongest = signals.into_iter().take(KEPT_SIGNALS);
    strongest
        .map(|(name, value, weight)| Signal {
            name: name.to_owned(),
            value,
            weight,
        })
        .collect()
}
