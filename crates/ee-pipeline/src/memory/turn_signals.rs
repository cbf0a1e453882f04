//! What is known of the turns of a conversation for one question.

use super::MemoryConfig;

/// What each turn says to a question, before anything is weighed: cosine, BM25 of the turn, BM25 of
/// the turn between its neighbours, each brought to 0–1 over the conversation, and which speakers
/// the question names.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnSignals {
    pub(super) dense: Vec<f32>,
    pub(super) text: Vec<f32>,
    pub(super) window: Vec<f32>,
    /// By speaker, in the order of their appearance.
    pub(super) named: Vec<bool>,
}

impl TurnSignals {
    /// What each turn scores by itself, 0 to 1.
    pub(super) fn own_scores(&self, config: &MemoryConfig) -> Vec<f32> {
        let parts = [
            (config.dense_weight, &self.dense),
            (config.text_weight, &self.text),
            (config.window_weight, &self.window),
        ];
        let all: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let mut own = vec![0.0; self.dense.len()];
        for (weight, scores) in parts {
            let weight = (weight / all) as f32;
            for (own, score) in own.iter_mut().zip(scores) {
                *own += weight * score;
            }
        }
        own
    }
}

/// Brings the least finite score to 0 and the greatest to 1; infinite ones to 0.
pub(super) fn scaled(mut scores: Vec<f32>) -> Vec<f32> {
    let finite = || scores.iter().copied().filter(|score| score.is_finite());
    let least = finite().fold(f32::INFINITY, f32::min);
    let range = finite().fold(f32::NEG_INFINITY, f32::max) - least;
    for score in &mut scores {
        *score = if score.is_finite() && range > 0.0 {
            (*score - least) / range
        } else {
            0.0
        };
    }
    scores
}
