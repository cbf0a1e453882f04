//! The trait that every embedder implements, and what it returns.

use crate::{EmbedError, Fingerprint};

/// Turns texts into unit-length vectors of one fixed dimension.
pub trait Embedder: Send + Sync {
    /// Which model this is; vectors of different fingerprints never mix.
    fn fingerprint(&self) -> &Fingerprint;

    /// The most tokens a text may have before it is cut, special tokens included.
    fn max_tokens(&self) -> usize;

    /// Tokens of `text` as the model counts them, special tokens included, before any cut.
    ///
    /// # Errors
    /// [`EmbedError::Tokenize`] when the tokenizer refuses the text.
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError>;

    /// Embeds texts as documents. The result has one entry per text, in the order given.
    ///
    /// # Errors
    /// [`EmbedError`] when the tokenizer or the model fails.
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError>;

    /// Embeds a text as a query, with the model's query prefix where it has one.
    ///
    /// # Errors
    /// [`EmbedError`] when the tokenizer or the model fails.
    fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError>;
}

/// A text's vector, and how much of the text it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// Euclidean length 1, or all zeros for a text without content.
    pub vector: Vec<f32>,
    /// How many tokens the text had and how many the model saw.
    pub tokens: TokenUse,
}

/// Tokens of a text, special tokens included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenUse {
    /// Tokens of the whole text.
    pub total: usize,
    /// Tokens the model saw: at most its window.
    pub seen: usize,
}

impl TokenUse {
    /// Whether the text was longer than the model's window.
    pub fn truncated(self) -> bool {
        self.seen < self.total
    }
}
