//! The text that stands for a unit when it is embedded.
//!
//! The composition is that of [`ee_ingest::embedding_text`]: title and headings on one line, as
//! far as the window has room for them, then the content. Its SHA-256 is the key under which the
//! store shares embeddings, so that a unit keeps its vector when its source is renamed.

use ee_embed::{EmbedError, Embedder};
use ee_ingest::{TokenCounter, embedding_text};
use km_core::Unit;
use sha2::{Digest, Sha256};

/// Text ready to be embedded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ComposedText {
    /// What the model sees.
    pub(super) text: String,
    /// SHA-256 of `text`.
    pub(super) sha256: [u8; 32],
    /// Tokens of `text`, special tokens included.
    pub(super) tokens: usize,
}

/// Composes the text of a unit.
pub(super) fn compose(embedder: &dyn Embedder, unit: &Unit) -> Result<ComposedText, EmbedError> {
    let text = embedding_text(unit, &WindowCounter(embedder));
    Ok(ComposedText {
        sha256: Sha256::digest(&text).into(),
        tokens: embedder.count_tokens(&text)?,
        text,
    })
}

/// The embedder's window, for ingestion.
pub(super) struct WindowCounter<'a>(pub(super) &'a dyn Embedder);

impl TokenCounter for WindowCounter<'_> {
    fn count(&self, text: &str) -> usize {
        // No token is shorter than a byte, so the length is a safe bound where counting fails.
        self.0.count_tokens(text).unwrap_or(text.len())
    }

    fn max_tokens(&self) -> usize {
        self.0.max_tokens()
    }
}
