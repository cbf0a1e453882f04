//! What can be wrong with a space.

use super::DeclarationError;

/// What can be wrong with a space or a point in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// A field declares something that cannot be read.
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
    /// A name that no setting declares.
    #[error("{key} is no tunable setting: `eerag tune parameters` lists them all")]
    Unknown {
        /// The name.
        key: String,
    },
    /// The settings do not take a value.
    #[error("the settings do not take this: {0}")]
    Settings(#[from] serde_json::Error),
}
