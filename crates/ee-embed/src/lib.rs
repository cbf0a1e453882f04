//! Text to vectors, and pairs of texts to relevance scores.
//!
//! The traits are [`Embedder`] and [`Reranker`]; the ONNX implementations are behind the feature
//! `onnx`, bringing models to this machine is behind `fetch`. This crate knows models and tokens;
//! it knows nothing of units, stores or scopes.
//!
//! ```
//! use ee_embed::{Embedder, LexicalEmbedder};
//!
//! let embedder = LexicalEmbedder::new(64);
//! let near = embedder.embed_query("token expiry")?;
//! let texts = ["The token has an expiry.", "The canteen opens at eight."];
//! let found = embedder.embed_documents(&texts)?;
//! let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
//! assert!(cosine(&near.vector, &found[0].vector) > cosine(&near.vector, &found[1].vector));
//! # Ok::<(), ee_embed::EmbedError>(())
//! ```

mod cache;
mod config;
#[cfg(feature = "conformance")]
pub mod conformance;
mod disk_cache;
mod disk_cached_reranker;
mod embedder;
mod error;
#[cfg(feature = "fetch")]
mod fetch;
mod fingerprint;
mod lexical;
mod models;
#[cfg(feature = "onnx")]
mod onnx;
mod records;
pub mod registry;
mod reranker;

pub use cache::CachedEmbedder;
pub use config::EmbedConfig;
pub use disk_cache::DiskCachedEmbedder;
pub use disk_cached_reranker::DiskCachedReranker;
pub use embedder::{Embedder, Embedding, TokenUse};
pub use error::EmbedError;
#[cfg(feature = "fetch")]
pub use fetch::{FetchProgress, Fetcher, HubAccess};
pub use fingerprint::{Fingerprint, Pooling};
pub use lexical::LexicalEmbedder;
pub use models::{EmbedderFiles, Models, RerankerFiles, WeightsFile};
#[cfg(feature = "onnx")]
pub use onnx::{OnnxEmbedder, OnnxReranker, RUNTIME_VERSION_NEEDED, runtime_library};
pub use reranker::{PairScore, Reranker};
