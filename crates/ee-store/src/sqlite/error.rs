//! Database errors as the crate's own.

use rusqlite::ErrorCode;

use crate::StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { attempts: 1 },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged {
                detail: error.to_string(),
            },
            _ => Self::Database {
                source: error.into(),
            },
        }
    }
}

impl From<r2d2::Error> for StoreError {
    fn from(error: r2d2::Error) -> Self {
        Self::Database {
            source: error.into(),
        }
    }
}

/// A stored record that does not parse.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers hand over their error"
)]
pub(super) fn unreadable(what: &'static str, reason: impl ToString) -> StoreError {
    StoreError::Record {
        what,
        reason: reason.to_string(),
    }
}

/// Writes a record as JSON. Fails only for values that JSON cannot express.
pub(super) fn to_json<T: serde::Serialize>(
    what: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| unreadable(what, error))
}

/// Reads a record back from JSON.
pub(super) fn from_json<T: serde::de::DeserializeOwned>(
    what: &'static str,
    json: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| unreadable(what, error))
}
