//! What can go wrong in a store.

/// An error of the store, its text index, or its records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A tag that is not 8 to 64 hexadecimal digits.
    #[error("expected a tag of 8 to 64 hexadecimal digits, got {found:?}")]
    Tag {
        /// What was given.
        found: String,
    },
}
