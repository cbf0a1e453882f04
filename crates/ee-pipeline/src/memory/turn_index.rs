//! Hybrid search over the turns of one conversation, each read together with its neighbours.

use ee_index::{AdaptiveIndex, IndexConfig, VectorIndex};
use ee_store::query_terms;
use km_core::Timestamp;

use super::bm25::Bm25;
use super::config::MemoryConfig;
use super::turn_signals::{TurnSignals, scaled};
use crate::{PipelineError, SearchSystem};

/// Turns that dense search compares at most; the others count as not close.
const DENSE_CANDIDATES: usize = 1_000;

/// Turns whose mean says how much a session is about the question.
const SESSION_TURNS: usize = 3;

/// A turn as it is indexed.
#[derive(Debug, Clone, Copy)]
pub struct IndexedTurn<'a> {
    /// Who said it, by name or role; empty when unknown.
    pub speaker: &'a str,
    /// What was said.
    pub text: &'a str,
    /// When.
    pub at: Timestamp,
    /// Its embedding, of unit length.
    pub vector: &'a [f32],
}

/// A turn that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnHit {
    /// Position in the conversation, from 0.
    pub position: u64,
    /// BM25 for `Bm25`, cosine for `Dense`, 0 to 1 for `Hybrid`.
    pub score: f32,
}

/// The turns of one conversation.
///
/// A turn often answers the one before it, and says little without it. The hybrid score of a turn
/// is therefore its own (cosine, BM25 of the turn, BM25 of the turn between its neighbours, each
/// brought to 0–1 over the conversation), plus shares of its neighbours' scores, plus a share for
/// a session that is about the question, plus a share when the question names the speaker.
pub struct TurnIndex {
    pub(super) config: MemoryConfig,
    text: Bm25,
    vectors: AdaptiveIndex,
    /// The speakers in order of appearance, with the terms of their names.
    speakers: Vec<(String, Vec<String>)>,
    turns: Vec<Turn>,
}

struct Turn {
    speaker: usize,
    at: Timestamp,
}

impl TurnIndex {
    /// An empty index for vectors of `dimension`.
    ///
    /// # Errors
    /// [`PipelineError`] for a setting out of range.
    pub fn new(
        dimension: usize,
        config: MemoryConfig,
        index: &IndexConfig,
    ) -> Result<Self, PipelineError> {
        config.validate()?;
        Ok(Self {
            config,
            text: Bm25::default(),
            vectors: AdaptiveIndex::new(dimension, index)?,
            speakers: Vec::new(),
            turns: Vec::new(),
        })
    }

    /// The length of its vectors.
    pub fn dimension(&self) -> usize {
        self.vectors.dimension()
    }

    /// How many turns it holds.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Adds the next turn of the conversation.
    ///
    /// # Errors
    /// [`PipelineError::Index`] for a vector of another length.
    pub fn push(&mut self, turn: IndexedTurn<'_>) -> Result<(), PipelineError> {
        let position = self.turns.len() as u64;
        self.vectors.upsert(&[(position, turn.vector)])?;
        self.text.push(&format!("{} {}", turn.speaker, turn.text));
        let speaker = self.speaker(turn.speaker);
        self.turns.push(Turn {
            speaker,
            at: turn.at,
        });
        Ok(())
    }

    fn speaker(&mut self, name: &str) -> usize {
        let known = self.speakers.iter().position(|(known, _)| known == name);
        known.unwrap_or_else(|| {
            self.speakers.push((name.to_owned(), query_terms(name)));
            self.speakers.len() - 1
        })
    }

    /// The `k` best turns for a question with its embedding, best first, equal scores in the
    /// order of the conversation. For `Precise` these are the candidates, which
    /// [`TurnIndex::read`] ranks.
    ///
    /// # Errors
    /// [`PipelineError::Index`] for a vector of another length.
    pub fn search(
        &self,
        question: &str,
        vector: &[f32],
        system: SearchSystem,
        k: usize,
    ) -> Result<Vec<TurnHit>, PipelineError> {
        let scores = match system {
            SearchSystem::Bm25 => self.text.scores(question),
            SearchSystem::Dense => return self.dense(vector, k),
            SearchSystem::Hybrid | SearchSystem::Precise => self.hybrid(question, vector)?,
        };
        Ok(best_of(scores, k))
    }

    fn dense(&self, vector: &[f32], k: usize) -> Result<Vec<TurnHit>, PipelineError> {
        let nearest = self.vectors.search(vector, k, None)?;
        let hits = nearest.into_iter().map(|near| TurnHit {
            position: near.key,
            score: near.cosine,
        });
        Ok(hits.collect())
    }

    /// Cosines of turns to a vector, in the order of `positions`.
    pub(super) fn cosines(
        &self,
        vector: &[f32],
        positions: &[u64],
    ) -> Result<Vec<Option<f32>>, PipelineError> {
        Ok(self.vectors.cosines(vector, positions)?)
    }

    fn hybrid(&self, question: &str, vector: &[f32]) -> Result<Vec<f32>, PipelineError> {
        Ok(self.weigh(&self.signals(question, vector)?, &self.config))
    }

    /// What is known of every turn for a question, before anything is weighed. Costly; the same
    /// for all weights.
    ///
    /// # Errors
    /// [`PipelineError::Index`] for a vector of another length.
    pub fn signals(&self, question: &str, vector: &[f32]) -> Result<TurnSignals, PipelineError> {
        let mut dense = vec![f32::NEG_INFINITY; self.len()];
        for hit in self.dense(vector, DENSE_CANDIDATES)? {
            if let Some(score) = dense.get_mut(hit.position as usize) {
                *score = hit.score;
            }
        }
        Ok(TurnSignals {
            dense: scaled(dense),
            text: scaled(self.text.scores(question)),
            window: scaled(self.text.window_scores(question)),
            named: self.named_speakers(question),
        })
    }

    /// The `k` best turns by what is known of them, weighed as `config` says: the ranking of
    /// [`SearchSystem::Hybrid`] under these settings.
    pub fn rank(&self, signals: &TurnSignals, config: &MemoryConfig, k: usize) -> Vec<TurnHit> {
        best_of(self.weigh(signals, config), k)
    }

    fn weigh(&self, signals: &TurnSignals, config: &MemoryConfig) -> Vec<f32> {
        let own = signals.own_scores(config);
        let sessions = self.sessions(config.session_gap_hours);
        let session_scores = session_scores(&sessions, &own);
        let most = 1.0
            + config.neighbour_weight
            + config.second_neighbour_weight
            + config.session_weight
            + config.speaker_weight;
        let near = |turn: usize, distance: usize| {
            let before = turn.checked_sub(distance).and_then(|turn| own.get(turn));
            let after = own.get(turn + distance);
            before.into_iter().chain(after).copied().fold(0.0, f32::max)
        };
        let score = |(turn, own): (usize, &f32)| {
            let session = sessions.get(turn).and_then(|at| session_scores.get(*at));
            let about = self.turns.get(turn);
            let named = about
                .and_then(|turn| signals.named.get(turn.speaker))
                .copied();
            let sum = own
                + config.neighbour_weight as f32 * near(turn, 1)
                + config.second_neighbour_weight as f32 * near(turn, 2)
                + config.session_weight as f32 * session.copied().unwrap_or_default()
                + config.speaker_weight as f32 * f32::from(u8::from(named == Some(true)));
            sum / most as f32
        };
        own.iter().enumerate().map(score).collect()
    }

    /// The session of each turn, from 0: a longer silence than this begins a new one.
    fn sessions(&self, gap_hours: f64) -> Vec<usize> {
        let gap = gap_hours * 3_600_000.0;
        let mut before: Option<(Timestamp, usize)> = None;
        let session = |turn: &Turn| {
            let at = turn.at;
            let session = before.map_or(0, |(last, session)| {
                let silence = at.as_millisecond().saturating_sub(last.as_millisecond());
                session + usize::from(silence as f64 > gap)
            });
            before = Some((at, session));
            session
        };
        self.turns.iter().map(session).collect()
    }

    /// For each speaker whether the question names them.
    fn named_speakers(&self, question: &str) -> Vec<bool> {
        let terms = query_terms(question);
        let named = |name: &[String]| !name.is_empty() && name.iter().all(|t| terms.contains(t));
        self.speakers.iter().map(|(_, name)| named(name)).collect()
    }
}

/// The mean of a session's best turns, brought to 0–1 over the sessions.
fn session_scores(sessions: &[usize], own: &[f32]) -> Vec<f32> {
    let count = sessions.last().map_or(0, |last| last + 1);
    let mut best: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (session, own) in sessions.iter().zip(own) {
        if let Some(best) = best.get_mut(*session) {
            best.push(*own);
        }
    }
    let mean = |mut scores: Vec<f32>| {
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.truncate(SESSION_TURNS);
        scores.iter().sum::<f32>() / scores.len().max(1) as f32
    };
    scaled(best.into_iter().map(mean).collect())
}

/// The `k` best positions of those that score above 0.
fn best_of(scores: Vec<f32>, k: usize) -> Vec<TurnHit> {
    let hits = scores
        .into_iter()
        .zip(0..)
        .filter(|(score, _)| *score > 0.0);
    let mut hits: Vec<TurnHit> = hits
        .map(|(score, position)| TurnHit { position, score })
        .collect();
    hits.sort_by(|a, b| {
        let better = b.score.total_cmp(&a.score);
        better.then(a.position.cmp(&b.position))
    });
    hits.truncate(k);
    hits
}
