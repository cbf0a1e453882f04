//! Turns read by the cross-encoder, and one probability from all that is known of each.

use std::collections::HashMap;

use ee_embed::Reranker;

use super::{TurnHit, TurnIndex};
use crate::knowledge::best_first;
use crate::{BlendEvidence, PipelineError, SearchSystem};

/// A turn with the probability that it is relevant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadTurn {
    /// Position in the conversation, from 0.
    pub position: u64,
    /// The estimated probability to be relevant, 0–1.
    pub probability: f32,
    /// What it rests on.
    pub evidence: BlendEvidence,
}

/// Reads questions together with turns.
#[derive(Clone, Copy)]
pub struct TurnReader<'a> {
    /// The cross-encoder; without one the probability rests on the hybrid score.
    pub reranker: Option<&'a dyn Reranker>,
    /// The turn at a position as the cross-encoder reads it, its speaker included.
    pub text: &'a dyn Fn(u64) -> String,
}

impl TurnIndex {
    /// The `k` best turns for a question with its embedding, ranked by the probability to be
    /// relevant: the candidates of hybrid search, the best of which the cross-encoder reads, each
    /// alone and after the turn before it.
    ///
    /// # Errors
    /// [`PipelineError`] for a vector of another length, or when the cross-encoder fails.
    pub fn read(
        &self,
        question: &str,
        vector: &[f32],
        reader: TurnReader<'_>,
        k: usize,
    ) -> Result<Vec<ReadTurn>, PipelineError> {
        let config = &self.config;
        let depth = config.candidates.max(k);
        let hits = self.search(question, vector, SearchSystem::Precise, depth)?;
        let read = hits.iter().take(config.reranked);
        let logits = reader.logits(question, read.map(|hit| hit.position).collect())?;
        let evidence = self.evidence(vector, &hits, &logits)?;
        let probabilities = config.blend.probabilities(&evidence);
        let known = evidence.into_iter().zip(probabilities);
        let mut ranked: Vec<ReadTurn> = hits
            .iter()
            .zip(known)
            .map(|(hit, (evidence, probability))| ReadTurn {
                position: hit.position,
                probability,
                evidence,
            })
            .collect();
        ranked.sort_by(|a, b| best_first((a.probability, a.position), (b.probability, b.position)));
        ranked.truncate(k);
        Ok(ranked)
    }

    /// What is known of each hit.
    fn evidence(
        &self,
        vector: &[f32],
        hits: &[TurnHit],
        logits: &HashMap<u64, Logits>,
    ) -> Result<Vec<BlendEvidence>, PipelineError> {
        let positions: Vec<u64> = hits.iter().map(|hit| hit.position).collect();
        let cosines = self.cosines(vector, &positions)?;
        let of = |(hit, cosine): (&TurnHit, Option<f32>)| {
            let own = logits.get(&hit.position);
            let next = logits.get(&(hit.position + 1));
            let passages = own.into_iter().chain(next).map(|one| one.after_previous);
            BlendEvidence {
                fused: hit.score,
                cosine: cosine.unwrap_or_default(),
                logit: own.map(|one| one.alone),
                context_logit: own.and_then(|_| passages.reduce(f32::max)),
            }
        };
        Ok(hits.iter().zip(cosines).map(of).collect())
    }
}

/// What the cross-encoder says of a turn.
struct Logits {
    alone: f32,
    /// Of the turn after the one before it.
    after_previous: f32,
}

impl TurnReader<'_> {
    /// Logits by position; none without a cross-encoder.
    fn logits(
        &self,
        question: &str,
        positions: Vec<u64>,
    ) -> Result<HashMap<u64, Logits>, PipelineError> {
        let Some(reranker) = self.reranker else {
            return Ok(HashMap::new());
        };
        let alone = positions.iter().map(|at| (self.text)(*at));
        let after = positions.iter().map(|at| self.after_previous(*at));
        let texts: Vec<String> = alone.chain(after).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scores = reranker.score(question, &texts)?;
        let (alone, after) = scores.split_at(positions.len().min(scores.len()));
        let scores = alone.iter().zip(after);
        let logits = scores.map(|(alone, after)| Logits {
            alone: alone.logit,
            after_previous: after.logit,
        });
        Ok(positions.into_iter().zip(logits).collect())
    }

    /// A turn often answers the one before it, and says little without it.
    fn after_previous(&self, position: u64) -> String {
        let own = (self.text)(position);
        match position.checked_sub(1) {
            Some(before) => format!("{}\n{own}", (self.text)(before)),
            None => own,
        }
    }
}
