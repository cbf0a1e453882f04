//! The embedded store: one SQLite file in WAL mode, one writer, many readers.

mod audit;
mod catalogue;
mod changes;
mod clock;
mod conversations;
mod directory;
mod embeddings;
mod entities;
mod error;
mod governance;
mod graph;
mod knowledge;
mod links;
mod lookup;
mod maintenance;
mod meta;
mod migrations;
mod open;
mod owner;
mod reembed;
mod references;
mod replace;
mod sources;
mod threads;
mod transfer;
mod units;
mod write_queue;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use km_core::Timestamp;
use parking_lot::Mutex;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, Transaction};

use crate::{StoreConfig, StoreError};
use directory::Directory;
use write_queue::WriteQueue;

pub use maintenance::StoreStats;
pub use sources::SourceRecord;
pub use transfer::TransferReport;

/// Tells the time for records that say when something was written.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Units, conversations and audit in one SQLite file.
///
/// Safe to share between threads, and the file between processes. A write waits for its turn in a
/// bounded queue; reads never wait for writes.
pub struct SqliteStore {
    path: PathBuf,
    config: StoreConfig,
    // Closed before the writer, which then folds the write-ahead log into the database file.
    readers: r2d2::Pool<SqliteConnectionManager>,
    writer: WriteQueue,
    directory: Mutex<Arc<Directory>>,
    clock: Clock,
}

impl SqliteStore {
    /// Opens the store in the file at `path`, creating file and folder where there is none, and
    /// brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::NotAStore`], [`StoreError::NewerSchema`], [`StoreError::ReadOnly`] or
    /// [`StoreError::Damaged`] for a file that cannot be used, [`StoreError::Setting`] for a
    /// setting out of range.
    pub fn open(path: &Path, config: StoreConfig) -> Result<Self, StoreError> {
        config.validate()?;
        let connection = open::open_writer(path, &config)?;
        Ok(Self {
            path: path.to_owned(),
            writer: WriteQueue::new(connection, &config),
            readers: open::open_readers(path, &config)?,
            directory: Mutex::new(Arc::new(Directory::default())),
            clock: Arc::new(Timestamp::now),
            config,
        })
    }

    /// Takes the time of written records from `clock` instead of the system.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder beside the database in which its text index belongs: `NAME.text`.
    pub fn text_index_folder(&self) -> PathBuf {
        self.path.with_extension("text")
    }

    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Runs `job` on one consistent snapshot.
    fn read<T>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.readers.get()?;
        let snapshot = connection.unchecked_transaction()?;
        job(&snapshot)
    }

    /// Runs `job` in a write transaction, which is committed when it succeeds.
    fn write<T>(
        &self,
        job: impl FnMut(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.writer.run(job)
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
