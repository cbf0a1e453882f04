//! Opening a database file: is it ours, can we read it, can we write it?

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::time::Duration;

use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, OpenFlags};

use super::migrations;
use crate::{StoreConfig, StoreError};

/// Marks a database as ours: `EERG` in ASCII.
const APPLICATION_ID: i64 = 0x4545_5247;

/// Prepared statements kept per connection.
const STATEMENT_CACHE: usize = 64;

/// Page cache of the writing connection, in KiB: ids and hashes fall on random pages of their
/// indexes, which are read from the file again and again when they do not fit.
const WRITE_CACHE_KIB: i64 = 128 * 1024;

/// Page cache of each reading connection, in KiB.
const READ_CACHE_KIB: i64 = 16 * 1024;

/// Opens the writing connection; creates and migrates the database under a lock, so that several
/// processes may open a new file at once.
pub(super) fn open_writer(path: &Path, config: &StoreConfig) -> Result<Connection, StoreError> {
    if path.is_dir() {
        return Err(StoreError::NotAStore {
            path: path.to_owned(),
            found: "a folder".to_owned(),
        });
    }
    create_folder(path)?;
    let _lock = lock_for_opening(path)?;
    let mut connection = Connection::open_with_flags(path, flags(true))?;
    let busy_timeout = Duration::from_millis(config.busy_timeout_milliseconds);
    prepare(&connection, busy_timeout)?;
    check_ours(&connection, path)?;
    check_writable(&connection, path)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    set_cache(&connection, WRITE_CACHE_KIB)?;
    migrations::migrate(&mut connection)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// A pool of connections that cannot write.
pub(super) fn open_readers(
    path: &Path,
    config: &StoreConfig,
) -> Result<r2d2::Pool<SqliteConnectionManager>, StoreError> {
    let busy_timeout = Duration::from_millis(config.busy_timeout_milliseconds);
    let manager = SqliteConnectionManager::file(path)
        .with_flags(flags(false))
        .with_init(move |connection| {
            prepare(connection, busy_timeout)?;
            set_cache(connection, READ_CACHE_KIB)
        });
    Ok(r2d2::Pool::builder()
        .max_size(config.read_connections)
        .min_idle(Some(1))
        // A file's connection does not go bad while it waits.
        .test_on_check_out(false)
        .build(manager)?)
}

fn flags(write: bool) -> OpenFlags {
    let access = if write {
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    } else {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    };
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn create_folder(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|source| StoreError::File {
        action: "create the folder",
        path: folder.to_owned(),
        source,
    })
}

/// Held until the file is closed, which happens when it is dropped.
fn lock_for_opening(path: &Path) -> Result<File, StoreError> {
    let lock_path = path.with_extension("lock");
    let failed = |source| StoreError::File {
        action: "lock",
        path: lock_path.clone(),
        source,
    };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path)
        .map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

fn prepare(connection: &Connection, busy_timeout: Duration) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    connection.busy_timeout(busy_timeout)
}

fn set_cache(connection: &Connection, kib: i64) -> rusqlite::Result<()> {
    // A negative size is in KiB, a positive one in pages.
    connection.pragma_update(None, "cache_size", -kib)
}

fn check_ours(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let not_ours = |found: String| StoreError::NotAStore {
        path: path.to_owned(),
        found,
    };
    let id: i64 = connection
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => {
                not_ours("not an SQLite database, or one that is encrypted".to_owned())
            }
            _ => error.into(),
        })?;
    if id == APPLICATION_ID {
        return check_version(connection, path);
    }
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if id != 0 || tables != 0 {
        return Err(not_ours(format!(
            "an SQLite database of another program, application id {id:#x}, {tables} tables and indexes"
        )));
    }
    check_writable(connection, path)?;
    Ok(connection.pragma_update(None, "application_id", APPLICATION_ID)?)
}

fn check_version(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    if found > migrations::LATEST {
        return Err(StoreError::NewerSchema {
            path: path.to_owned(),
            found,
            supported: migrations::LATEST,
        });
    }
    Ok(())
}

fn check_writable(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    if connection.is_readonly("main")? {
        return Err(StoreError::ReadOnly {
            path: path.to_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::open_writer;
    use crate::{StoreConfig, StoreError};

    #[test]
    fn a_folder_is_refused_and_nothing_is_left_beside_it() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("notes");
        std::fs::create_dir(&folder).unwrap();
        let refused = open_writer(&folder, &StoreConfig::default());
        assert!(matches!(refused, Err(StoreError::NotAStore { .. })));
        assert_eq!(home.path().read_dir().unwrap().count(), 1);
    }
}
