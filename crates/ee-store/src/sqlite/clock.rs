//! The sequence number, counted within a write transaction.

use rusqlite::Connection;

use crate::{Sequence, StoreError};

/// The sequence number of the snapshot.
pub(super) fn sequence(connection: &Connection) -> Result<Sequence, StoreError> {
    let sequence: i64 = connection
        .prepare_cached("SELECT sequence FROM clock")?
        .query_row([], |row| row.get(0))?;
    Ok(sequence as u64)
}

/// Gives out sequence numbers within one transaction.
pub(super) struct Ticker<'a> {
    connection: &'a Connection,
    started: Sequence,
    sequence: Sequence,
}

impl<'a> Ticker<'a> {
    /// Starts at the stored number.
    pub(super) fn start(connection: &'a Connection) -> Result<Self, StoreError> {
        let sequence = sequence(connection)?;
        Ok(Self {
            connection,
            started: sequence,
            sequence,
        })
    }

    /// The next number, for one change.
    pub(super) fn tick(&mut self) -> Sequence {
        self.sequence += 1;
        self.sequence
    }

    /// Whether a number was given out.
    pub(super) fn moved(&self) -> bool {
        self.sequence > self.started
    }

    /// Stores the last number given out, and returns it.
    pub(super) fn finish(self) -> Result<Sequence, StoreError> {
        if self.moved() {
            self.connection
                .prepare_cached("UPDATE clock SET sequence = ?1")?
                .execute([self.sequence as i64])?;
        }
        Ok(self.sequence)
    }
}
