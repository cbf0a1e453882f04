//! What can go wrong between a text and its vector.

/// An error of an embedder, a cross-encoder, or the model registry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The tokenizer refused a text.
    #[error("the tokenizer of {model} cannot split this text: {reason}")]
    Tokenize {
        /// The model.
        model: String,
        /// What the tokenizer said.
        reason: String,
    },
}
