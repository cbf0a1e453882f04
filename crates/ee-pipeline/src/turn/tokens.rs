//! Counting tokens of a prompt without asking the model.

use std::sync::Arc;

use ee_embed::Embedder;
use unicode_segmentation::UnicodeSegmentation;

/// Estimates how many tokens a text has for a chat model.
pub trait TokenEstimator: Send + Sync {
    /// Tokens of `text`, without special tokens; 0 for the empty text.
    fn estimate(&self, text: &str) -> usize;
}

/// Counts with the embedder's tokenizer.
pub(crate) struct EmbedderTokens(pub(crate) Arc<dyn Embedder>);

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

/// Counts words and punctuation marks, with a long word as several: within a quarter of common
/// tokenizers on English, and one token per character in scripts without spaces.
pub(crate) struct WordTokens;

impl TokenEstimator for WordTokens {
    fn estimate(&self, text: &str) -> usize {
        let pieces = text
            .split_word_bounds()
            .filter(|piece| !piece.trim().is_empty());
        pieces.map(|piece| piece.len().div_ceil(8)).sum()
    }
}
