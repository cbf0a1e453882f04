//! The one writer of this process, and the bounded queue before it.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, FairMutex, Mutex};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{StoreConfig, StoreError};

/// Lets one writer at a time through, in the order in which they came. At most `depth` stand in
/// the queue; more are held back before it.
pub(super) struct WriteQueue {
    connection: FairMutex<Connection>,
    standing: Mutex<usize>,
    moved: Condvar,
    depth: usize,
    wait: Duration,
    retries: u32,
    retry_delay: Duration,
}

impl WriteQueue {
    pub(super) fn new(connection: Connection, config: &StoreConfig) -> Self {
        Self {
            connection: FairMutex::new(connection),
            standing: Mutex::new(0),
            moved: Condvar::new(),
            depth: config.write_queue_depth,
            wait: Duration::from_secs(config.write_wait_seconds),
            retries: config.write_retries,
            retry_delay: Duration::from_millis(config.write_retry_delay_milliseconds),
        }
    }

    /// Runs `job` in a transaction that holds the write lock from its start, and commits it when
    /// the job succeeds. While another process holds the lock, the attempt is repeated.
    pub(super) fn run<T>(
        &self,
        mut job: impl FnMut(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with_connection(|connection| {
            self.retrying(|| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let done = job(&transaction)?;
                transaction.commit()?;
                Ok(done)
            })
        })
    }

    /// Runs `job` on the writing connection, outside of a transaction.
    pub(super) fn with_connection<T>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _place = self.queue_up()?;
        let mut connection = self
            .connection
            .try_lock_for(self.wait)
            .ok_or_else(|| self.timed_out())?;
        job(&mut connection)
    }

    fn queue_up(&self) -> Result<Place<'_>, StoreError> {
        let deadline = Instant::now() + self.wait;
        let mut standing = self.standing.lock();
        while *standing >= self.depth {
            if self.moved.wait_until(&mut standing, deadline).timed_out() {
                return Err(self.timed_out());
            }
        }
        *standing += 1;
        Ok(Place(self))
    }

    fn retrying<T>(
        &self,
        mut attempt: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        for retry in 0..=self.retries {
            match attempt() {
                Err(StoreError::Busy { .. }) => {
                    tracing::warn!(retry, "another process holds the write lock");
                    if retry < self.retries {
                        std::thread::sleep(self.retry_delay);
                    }
                }
                ended => return ended,
            }
        }
        Err(StoreError::Busy {
            attempts: self.retries.saturating_add(1),
        })
    }

    fn timed_out(&self) -> StoreError {
        StoreError::WriteQueue {
            depth: self.depth,
            waited: self.wait,
        }
    }
}

/// A place in the queue, given up when dropped.
struct Place<'a>(&'a WriteQueue);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.standing.lock() -= 1;
        self.0.moved.notify_one();
    }
}
