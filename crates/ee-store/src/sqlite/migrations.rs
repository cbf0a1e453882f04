//! The schema's versions, each an SQL file of its own.

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use crate::StoreError;

const STEPS: &[M<'_>] = &[
    M::up(include_str!("migrations/0001_initial.sql")),
    M::up(include_str!("migrations/0002_thread_records.sql")),
    M::up(include_str!("migrations/0003_entities.sql")),
];

/// The schema version that this program writes.
pub(super) const LATEST: u64 = STEPS.len() as u64;

/// Brings the schema up to date.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    Migrations::from_slice(STEPS)
        .to_latest(connection)
        .map_err(|error| StoreError::Database {
            source: error.into(),
        })
}
