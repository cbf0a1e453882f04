//! Text to vectors, and pairs of texts to relevance scores.
//!
//! The traits are [`Embedder`] and [`Reranker`]; the ONNX implementations are behind the feature
//! `onnx`. This crate knows models and tokens; it knows nothing of units, stores or scopes.

mod embedder;
mod error;
mod fingerprint;
mod reranker;

pub use embedder::{Embedder, Embedding, TokenUse};
pub use error::EmbedError;
pub use fingerprint::{Fingerprint, Pooling};
pub use reranker::{PairScore, Reranker};
