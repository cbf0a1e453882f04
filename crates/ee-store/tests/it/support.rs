//! Stores in temporary folders.

use std::path::Path;

use ee_store::{SqliteStore, StoreConfig};
use tempfile::TempDir;

/// A store, and the folder that goes with it.
pub(crate) struct Temporary {
    pub(crate) store: SqliteStore,
    pub(crate) folder: TempDir,
}

pub(crate) fn temporary() -> Temporary {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Temporary {
        store: open(&folder.path().join("knowledge.db")),
        folder,
    }
}

pub(crate) fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, StoreConfig::default()).expect("a store that opens")
}
