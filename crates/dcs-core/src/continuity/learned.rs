//! The default scorer: a linear model over the evidence of single links.
//!
//! Every candidate link and "new line of work" get a score `w · x`; a softmax over all of them
//! gives probabilities, and those of the links into one line of work are summed. See
//! `docs/dcs.md` for the evidence and for where the weights come from.

use std::sync::Arc;

use crate::continuity::features::{FirstLook, Situation};
use crate::continuity::stage::Stage;
use crate::continuity::{
    ContinuityScorer, ContinuityWeights, Incoming, RankedDcn, Ranking, SelectionModel, WeightSet,
};
use crate::decision::KEPT_SCORES;
use crate::evidence::first_score;
use crate::{Dcn, DcnId, DcsError, History, MessageId, MessageRecord};

/// Affinity from which lines of work merge: the first message of the younger one was nearly as
/// likely to continue the older one.
const MERGE_THRESHOLD: f64 = 0.5;

/// Links that a ranking keeps.
const KEPT_LINKS: usize = 6;

/// The learned scorer, with weights for each kind of conversation.
#[derive(Debug, Clone)]
pub struct LearnedScorer {
    assistant: Weights,
    chat_room: Weights,
    assistants: Vec<String>,
}

/// The weights for one kind of conversation.
#[derive(Debug, Clone)]
struct Weights {
    embedded: Stages,
    words: Stages,
}

#[derive(Debug, Clone)]
struct Stages {
    message: Stage,
    exchange: Option<Stage>,
    selection: Option<SelectionModel>,
}

impl Stages {
    fn new(weights: &ContinuityWeights) -> Self {
        Self {
            message: Stage::new(&weights.message),
            exchange: weights.exchange.as_ref().map(Stage::new),
            selection: weights.selection.as_ref().map(SelectionModel::new),
        }
    }
}

impl Weights {
    fn new(set: &WeightSet) -> Self {
        Self {
            embedded: Stages::new(&set.embedded),
            words: Stages::new(&set.words),
        }
    }
}

impl LearnedScorer {
    /// A scorer with the given weights for conversations with an assistant (or of one or two
    /// people, or without names) and for chat rooms. `assistants` are the speakers whose messages answer the
    /// message before them.
    pub fn new(assistant: &WeightSet, chat_room: &WeightSet, assistants: Vec<String>) -> Self {
        Self {
            assistant: Weights::new(assistant),
            chat_room: Weights::new(chat_room),
            assistants,
        }
    }

    /// A scorer with the weights that come with this crate, for conversations in which the
    /// speaker `assistant` answers.
    ///
    /// # Errors
    /// Those of [`ContinuityWeights::parse`]; the tests read the built-in weights.
    pub fn built_in() -> Result<Self, DcsError> {
        Ok(Self::new(
            &WeightSet::assistant()?,
            &WeightSet::chat_room()?,
            vec!["assistant".to_owned()],
        ))
    }

    /// The weights for what the conversation offers.
    fn stages(&self, incoming: &Incoming<'_>, history: &History) -> &Stages {
        let weights = if history.is_chat_room() {
            &self.chat_room
        } else {
            &self.assistant
        };
        if incoming.embedding.is_some() {
            &weights.embedded
        } else {
            &weights.words
        }
    }
}

impl ContinuityScorer for LearnedScorer {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn rank(&self, incoming: &Incoming<'_>, candidates: &[DcnId], history: &History) -> Ranking {
        let situation = Situation::new(incoming, candidates, history, history.is_chat_room());
        let stage = &self.stages(incoming, history).message;
        ranking(&situation, stage, None)
    }

    fn revises(
        &self,
        question: &MessageRecord,
        incoming: &Incoming<'_>,
        history: &History,
    ) -> bool {
        let answers = |speaker: &str| self.assistants.iter().any(|name| name == speaker);
        answers(incoming.speaker)
            && !question.speaker.is_empty()
            && !answers(&question.speaker)
            && self.stages(incoming, history).exchange.is_some()
    }

    fn revise(
        &self,
        exchange: &Incoming<'_>,
        first: &Ranking,
        candidates: &[DcnId],
        history: &History,
    ) -> Ranking {
        let score = |dcn| first_score(first, dcn);
        let situation = Situation::new(exchange, candidates, history, history.is_chat_room());
        let stages = self.stages(exchange, history);
        let stage = stages.exchange.as_ref().unwrap_or(&stages.message);
        ranking(&situation, stage, Some(&score))
    }

    fn selection(&self, query: &Incoming<'_>, history: &History) -> Option<&SelectionModel> {
        self.stages(query, history).selection.as_ref()
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

/// Softmax over all links and a new line, summed per line of work; the best ones with signals.
fn ranking(situation: &Situation<'_>, stage: &Stage, first: FirstLook<'_>) -> Ranking {
    let new = stage.new_line(situation, first);
    let scores = situation.lines.iter();
    let scores = scores.map(|line| stage.links(line, situation, first).collect());
    let scores: Vec<Vec<f64>> = scores.collect();
    let top = scores.iter().flatten().copied().fold(new, f64::max);
    let sums = scores.iter();
    let sums = sums.map(|links| links.iter().map(|score| (score - top).exp()).sum());
    let sums: Vec<f64> = sums.collect();
    let total = sums.iter().sum::<f64>() + (new - top).exp();
    let lines = situation.lines.iter().zip(&sums);
    let ranked = lines.map(|(line, sum)| RankedDcn {
        dcn: line.dcn,
        score: sum / total,
        signals: Arc::default(),
    });
    let mut ranking = Ranking::new(ranked.collect(), (new - top).exp() / total);
    ranking.links = likely_links(situation, &scores, |score| (score - top).exp() / total);
    for ranked in ranking.candidates.iter_mut().take(KEPT_SCORES) {
        let mut lines = situation.lines.iter().zip(&scores);
        if let Some((line, links)) = lines.find(|(line, _)| line.dcn == ranked.dcn) {
            let links = line.members.iter().zip(links);
            let best = links.max_by(|a, b| a.1.total_cmp(b.1));
            ranked.signals = best.map_or_else(Arc::default, |(member, _)| {
                stage.signals((line, member), situation, first).into()
            });
        }
    }
    ranking
}

/// The most likely links, best first, then the latest.
fn likely_links(
    situation: &Situation<'_>,
    scores: &[Vec<f64>],
    probability: impl Fn(f64) -> f64,
) -> Vec<(MessageId, f64)> {
    let lines = situation.lines.iter().zip(scores);
    let links = lines.flat_map(|(line, scores)| line.members.iter().zip(scores));
    let links = links.map(|(member, score)| (member.record.id, *score));
    let mut links: Vec<(MessageId, f64)> = links.collect();
    let best = |a: &(MessageId, f64), b: &(MessageId, f64)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
    if links.len() > KEPT_LINKS {
        links.select_nth_unstable_by(KEPT_LINKS, best);
        links.truncate(KEPT_LINKS);
    }
    links.sort_by(best);
    let kept = links.iter();
    kept.map(|(id, score)| (*id, probability(*score))).collect()
}
