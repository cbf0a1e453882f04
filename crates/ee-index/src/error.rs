//! What can go wrong in an index.

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
}
