//! Why a source could not become units.

/// An error of ingestion.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
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
}
