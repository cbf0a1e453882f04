//! The ONNX implementations: an embedder and a cross-encoder over ONNX Runtime.

mod bert;
mod embedder;
mod reranker;
mod runtime;
mod sessions;
mod tokens;
mod weights;
mod word_counts;

pub use embedder::OnnxEmbedder;
pub use reranker::OnnxReranker;
pub use runtime::{RUNTIME_VERSION_NEEDED, runtime_library};
