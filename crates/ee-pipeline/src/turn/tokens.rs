//! Counting tokens of a prompt without asking the model.

use std::sync::Arc;

use crate::KnowledgeBase;

/// Estimates how many tokens a text has for a chat model.
pub trait TokenEstimator: Send + Sync {
    /// Tokens of `text`, without special tokens; 0 for the empty text.
    fn estimate(&self, text: &str) -> usize;
}

/// Counts with the embedder's tokenizer, which is near enough to that of a chat model.
pub(crate) struct EmbedderTokens(pub(crate) Arc<KnowledgeBase>);

impl TokenEstimator for EmbedderTokens {
    fn estimate(&self, text: &str) -> usize {
        let special = self.0.count_tokens("").unwrap_or(0);
        match self.0.count_tokens(text) {
            Ok(tokens) => tokens.saturating_sub(special),
            // Four bytes a token is near the mean of common tokenizers on English; a refusal of
            // the tokenizer must not fail the turn.
            Err(_) => text.len().div_ceil(4),
        }
    }
}
