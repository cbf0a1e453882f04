//! What can go wrong in an index.

use std::path::PathBuf;

/// An error of a vector index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A vector of the wrong length.
    #[error(
        "expected vectors of {expected} dimensions, got {found}: embed with the model the index was built for"
    )]
    Dimension {
        /// The index's dimension.
        expected: usize,
        /// The vector's.
        found: usize,
    },
    /// A vector with an infinite or undefined component.
    #[error("component {component} of the vector is not a finite number")]
    NotFinite {
        /// Position of the first bad component.
        component: usize,
    },
    /// More vectors than an index can number.
    #[error("an index holds at most {limit} vectors: split the collection")]
    Full {
        /// The most vectors.
        limit: usize,
    },
    /// A setting outside its range.
    #[error("setting {setting} must be {expected}, got {found}: correct the configuration")]
    Setting {
        /// Name in the configuration file.
        setting: &'static str,
        /// The range.
        expected: &'static str,
        /// The value given.
        found: String,
    },
    /// The index file cannot be read or written.
    #[error("the index file {} cannot be {action}: {source}", path.display())]
    File {
        /// What was tried: `read` or `written`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The file is none of ours, cut short or altered.
    #[error(
        "the index file {} is damaged ({reason}): rebuild the index from the store",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file was written by a later release.
    #[error(
        "the index file {} has format {found}, this release reads up to {supported}: update, or rebuild the index from the store",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The latest format that is understood.
        supported: u32,
    },
    /// The file holds another model's vectors.
    #[error(
        "the index file {} was made with another embedding model: rebuild the index from the store",
        path.display()
    )]
    OtherModel {
        /// The file.
        path: PathBuf,
    },
}
