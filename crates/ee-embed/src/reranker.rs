//! The trait that every cross-encoder implements.

use crate::EmbedError;

/// Scores how well documents answer a query, reading both together.
pub trait Reranker: Send + Sync {
    /// The model's name, for people.
    fn model(&self) -> &str;

    /// Scores every document against the query. One entry per document, in the order given. A
    /// pair longer than the window has its document cut, never its query.
    ///
    /// # Errors
    /// [`EmbedError`] when the tokenizer or the model fails, or when the query alone does not fit.
    fn score(&self, query: &str, documents: &[&str]) -> Result<Vec<PairScore>, EmbedError>;
}

/// The relevance of one document to one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScore {
    /// The model's raw output, unbounded.
    pub logit: f32,
    /// The logistic function of the logit, in 0–1. Not calibrated.
    pub probability: f32,
    /// Whether the document was cut to fit the window.
    pub truncated: bool,
}

impl PairScore {
    /// The score of a logit.
    pub fn of(logit: f32, truncated: bool) -> Self {
        Self {
            logit,
            probability: 1.0 / (1.0 + (-logit).exp()),
            truncated,
        }
    }
}
