//! What can go wrong between a text and its vector.

use std::io;
use std::path::PathBuf;

/// What brings missing models and the runtime library, as errors say it.
pub(crate) const FETCH: &str = "`eerag models fetch` (in this workspace `cargo xtask fetch-model`)";

/// An error of an embedder, a cross-encoder, or the model registry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// A setting outside its range.
    #[error("setting `{setting}` must be {expected}, got {found}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// The accepted range.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// A model that the registry does not know, or of another role.
    #[error("there is no {role} named {name:?}; known: {known}")]
    UnknownModel {
        /// What was looked for: an embedder, a cross-encoder, an asset.
        role: &'static str,
        /// The name that was given.
        name: String,
        /// The names of this role.
        known: String,
    },
    /// Files of a model are not in the models folder.
    #[error("{model} is not in {}: bring it with {FETCH} --model {model}", folder.display())]
    MissingModel {
        /// The model.
        model: String,
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// A model file is there but cannot be used.
    #[error("{} is not usable as {needed}: {found}; remove it and bring it anew with {FETCH}", path.display())]
    BadModelFile {
        /// The file.
        path: PathBuf,
        /// What it should be.
        needed: String,
        /// What is wrong with it.
        found: String,
    },
    /// A file could not be read or written.
    #[error("cannot access {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No ONNX Runtime library was found.
    #[error("no ONNX Runtime library at {}: bring version {needed} with {FETCH}, or name one in ORT_DYLIB_PATH", searched.display())]
    MissingRuntime {
        /// Where it was looked for.
        searched: PathBuf,
        /// The version that is needed.
        needed: &'static str,
    },
    /// A file that is not an ONNX Runtime library of a usable version.
    #[error("{} is not an ONNX Runtime library of version {needed} or newer: {found}; bring one with {FETCH}", path.display())]
    BadRuntime {
        /// The file.
        path: PathBuf,
        /// The version that is needed.
        needed: &'static str,
        /// What was found instead.
        found: String,
    },
    /// The tokenizer refused a text.
    #[error("the tokenizer of {model} cannot split this text: {reason}")]
    Tokenize {
        /// The model.
        model: String,
        /// What the tokenizer said.
        reason: String,
    },
    /// A query that fills the cross-encoder's window by itself.
    #[error(
        "the query has {found} tokens, {model} takes at most {limit} with room for a document: shorten it"
    )]
    QueryTooLong {
        /// The model.
        model: String,
        /// The query's tokens, special tokens included.
        found: usize,
        /// The most that leave room for a document.
        limit: usize,
    },
    /// ONNX Runtime refused a graph or a run.
    #[cfg(feature = "onnx")]
    #[error("ONNX Runtime: {0}")]
    Onnx(String),
    /// A model gave something else than it promised.
    #[error("{model} gave {found}, expected {expected}")]
    Output {
        /// The model.
        model: String,
        /// What was expected.
        expected: String,
        /// What came.
        found: String,
    },
    /// A weights file that is not a BERT in fp32.
    #[error("the weights are not a BERT encoder in fp32: {reason}")]
    Weights {
        /// What is wrong.
        reason: String,
    },
    /// Nothing could bring a file.
    #[cfg(feature = "fetch")]
    #[error("cannot bring {what}:\n{}\n{advice}", attempts.join("\n"))]
    Fetch {
        /// What was to be brought.
        what: String,
        /// Each attempt and why it failed.
        attempts: Vec<String>,
        /// What to do.
        advice: &'static str,
    },
}

#[cfg(feature = "onnx")]
impl<T> From<ort::Error<T>> for EmbedError {
    fn from(error: ort::Error<T>) -> Self {
        Self::Onnx(error.to_string())
    }
}

impl EmbedError {
    #[cfg(feature = "onnx")]
    pub(crate) fn weights(reason: impl Into<String>) -> Self {
        Self::Weights {
            reason: reason.into(),
        }
    }

    #[cfg(any(feature = "onnx", feature = "fetch"))]
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
