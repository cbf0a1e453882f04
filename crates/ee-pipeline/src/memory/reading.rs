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

impl TurnIndex {
    /// The `k` best turns for a question with its embedding, ranked by the probability to be
    /// relevant: the candidates of hybrid search, the best of which the cross-encoder reads.
    /// `text` gives what it reads of the turn at a position, speaker included. Without a
    /// cross-encoder the probability rests on the hybrid score.
    ///
    /// # Errors
    /// [`PipelineError`] for a vector of another length, or when the cross-encoder fails.
    pub fn read(
        &self,
        question: &str,
        vector: &[f32],
        reranker: Option<&dyn Reranker>,
        text: &dyn Fn(u64) -> String,
        k: usize,
    ) -> Result<Vec<ReadTurn>, PipelineError> {
        let config = &self.config;
        let depth = config.reranked.max(k);
        let hits = self.search(question, vector, SearchSystem::Precise, depth)?;
        let read = hits
            .get(..config.reranked.min(hits.len()))
            .unwrap_or_default();
        let logits = match reranker {
            Some(reranker) => logits(question, read, reranker, text)?,
            None => HashMap::new(),
        };
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
        logits: &HashMap<u64, f32>,
    ) -> Result<Vec<BlendEvidence>, PipelineError> {
        let positions: Vec<u64> = hits.iter().map(|hit| hit.position).collect();
        let cosines = self.cosines(vector, &positions)?;
        let of = |(hit, cosine): (&TurnHit, Option<f32>)| {
            let before = hit.position.checked_sub(1).and_then(|at| logits.get(&at));
            let after = logits.get(&(hit.position + 1));
            BlendEvidence {
                fused: hit.score,
                cosine: cosine.unwrap_or_default(),
                logit: logits.get(&hit.position).copied(),
                neighbour_logit: before.into_iter().chain(after).copied().reduce(f32::max),
            }
        };
        Ok(hits.iter().zip(cosines).map(of).collect())
    }
}

/// Logits by position.
fn logits(
    question: &str,
    hits: &[TurnHit],
    reranker: &dyn Reranker,
    text: &dyn Fn(u64) -> String,
) -> Result<HashMap<u64, f32>, PipelineError> {
    let texts: Vec<String> = hits.iter().map(|hit| text(hit.position)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = reranker.score(question, &texts)?;
    let pairs = hits.iter().zip(scores);
    Ok(pairs
        .map(|(hit, score)| (hit.position, score.logit))
        .collect())
}
