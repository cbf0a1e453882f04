//! The traits between formats, splitting and the embedder's window.

/// Counts tokens as the embedder does, so that no unit exceeds its window.
pub trait TokenCounter: Send + Sync {
    /// Tokens of `text`, special tokens included.
    fn count(&self, text: &str) -> usize;

    /// The most tokens one unit may have.
    fn max_tokens(&self) -> usize;
}

/// Turns the text of one format into blocks. The helper who builds this crate completes it.
pub trait Parser: Send + Sync {}
