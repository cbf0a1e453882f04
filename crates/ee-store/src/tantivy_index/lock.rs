//! The lock between processes that write to one index.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::StoreError;

/// The locked file's name; it holds nothing.
pub(super) const LOCK_FILE: &str = "follow.lock";

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits for the lock at most `wait`. It is given up when the file is dropped, and by the system
/// when the process ends.
pub(super) fn acquire(folder: &Path, wait: Duration) -> Result<File, StoreError> {
    let path = folder.join(LOCK_FILE);
    let failed = |source| StoreError::File {
        action: "lock",
        path: path.clone(),
        source,
    };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(failed)?;
    let deadline = Instant::now() + wait;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(StoreError::IndexLocked { waited: wait });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}
