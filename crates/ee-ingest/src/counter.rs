//! The embedder's window, as ingestion sees it.

/// Counts tokens as the embedder does, so that no unit exceeds its window.
pub trait TokenCounter: Send + Sync {
    /// Tokens of `text`, special tokens included.
    fn count(&self, text: &str) -> usize;

    /// The most tokens one unit may have, special tokens included; at least 16.
    fn max_tokens(&self) -> usize;
}
