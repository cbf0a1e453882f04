//! The default scorer: a linear model over the evidence of single links.
//!
//! Every candidate link and "new line of work" get a score `w · x`; a softmax over all of them
//! gives probabilities, and those of the links into one line of work are summed. See
//! `docs/dcs.md` for the evidence and for where the weights come from.

use std::sync::Arc;

use crate::continuity::features::line::Line;
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
    let links = Links::of(situation, stage, first);
    let top = links.scores.iter().copied().fold(new, f64::max);
    let sum = |scores: &[f64]| scores.iter().map(|score| (score - top).exp()).sum();
    let sums: Vec<f64> = links
        .by_line(situation)
        .map(|(_, scores)| sum(scores))
        .collect();
    let total = sums.iter().sum::<f64>() + (new - top).exp();
    let lines = situation.lines.iter().zip(&sums);
    let ranked = lines.map(|(line, sum)| RankedDcn {
        dcn: line.dcn,
        score: sum / total,
        signals: Arc::default(),
    });
    let mut ranking = Ranking::new(ranked.collect(), (new - top).exp() / total);
    ranking.links = links.likely(situation, |score| (score - top).exp() / total);
    for ranked in ranking.candidates.iter_mut().take(KEPT_SCORES) {
        let mut lines = links.by_line(situation);
        if let Some((line, scores)) = lines.find(|(line, _)| line.dcn == ranked.dcn) {
            let links = line.members.iter().zip(scores);
            let best = links.max_by(|a, b| a.1.total_cmp(b.1));
            ranked.signals = best.map_or_else(Arc::default, |(member, _)| {
                stage.signals((line, member), situation, first).into()
            });
        }
    }
    ranking
}

/// The scores of all links.
struct Links {
    /// Line by line, member by member.
    scores: Vec<f64>,
}

impl Links {
    fn of(situation: &Situation<'_>, stage: &Stage, first: FirstLook<'_>) -> Self {
        let lines = situation.lines.iter();
        let mut scores = Vec::with_capacity(lines.clone().map(|line| line.members.len()).sum());
        for line in lines {
            scores.extend(stage.links(line, situation, first));
        }
        Self { scores }
    }

    fn by_line<'a>(
        &'a self,
        situation: &'a Situation<'_>,
    ) -> impl Iterator<Item = (&'a Line<'a>, &'a [f64])> {
        let mut rest = self.scores.as_slice();
        situation.lines.iter().map(move |line| {
            let (own, others) = rest
                .split_at_checked(line.members.len())
                .unwrap_or((rest, &[]));
            rest = others;
            (line, own)
        })
    }

    /// The most likely links, best first, then the latest.
    fn likely(
        &self,
        situation: &Situation<'_>,
        probability: impl Fn(f64) -> f64,
    ) -> Vec<(MessageId, f64)> {
        let mut kept: Vec<(MessageId, f64)> = Vec::with_capacity(KEPT_LINKS + 1);
        let members = situation.lines.iter().flat_map(|line| &line.members);
        let mut least = f64::NEG_INFINITY;
        for (member, score) in members
            .zip(&self.scores)
            .filter(|(_, score)| !score.is_nan())
        {
            let full = kept.len() >= KEPT_LINKS;
            if full && *score < least {
                continue;
            }
            let id = member.record.id;
            let place = kept
                .partition_point(|(other, best)| score.total_cmp(best).then(id.cmp(other)).is_lt());
            kept.insert(place, (id, *score));
            kept.truncate(KEPT_LINKS);
            least = kept.last().map_or(f64::NEG_INFINITY, |(_, score)| *score);
        }
        let kept = kept.into_iter();
        kept.map(|(id, score)| (id, probability(score))).collect()
    }
}
