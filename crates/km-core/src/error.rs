//! What can be wrong with knowledge handed to this crate.

use crate::Timestamp;

/// An error in units, ids, governance or identity.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnowledgeError {
    /// A unit id that is not 32 hexadecimal digits.
    #[error("expected a unit id of 32 hexadecimal digits, got {found:?}")]
    UnitId {
        /// What was given.
        found: String,
    },
    /// A name that is not one of a closed set.
    #[error("expected {what} (one of {expected}), got {found:?}")]
    UnknownName {
        /// What kind of name was expected.
        what: &'static str,
        /// The accepted names.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// An interval that ends before or when it starts.
    #[error(
        "a unit effective from {from} cannot expire at {until}: give an expiry after the start"
    )]
    InvertedInterval {
        /// First instant at which the unit is valid.
        from: Timestamp,
        /// First instant at which it no longer is.
        until: Timestamp,
    },
    /// A domain path with an empty or malformed segment.
    #[error("expected a dotted domain such as `finance.travel`, got {found:?}: {reason}")]
    Domain {
        /// What was given.
        found: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An authority tier of zero.
    #[error("authority tiers start at 1 (the highest), got {found}")]
    AuthorityTier {
        /// What was given.
        found: u64,
    },
}
