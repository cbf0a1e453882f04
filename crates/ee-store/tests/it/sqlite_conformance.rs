//! SQLite passes every check.

use ee_store::{SqliteStore, StoreConfig, conformance};
use tempfile::TempDir;

/// Runs a check with a function that makes empty stores.
fn with_stores(check: impl Fn(&dyn Fn() -> SqliteStore)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = std::cell::Cell::new(0);
    check(&|| {
        made.set(made.get() + 1);
        new_store(&folder, made.get())
    });
}

fn new_store(folder: &TempDir, number: u32) -> SqliteStore {
    let path = folder.path().join(format!("{number}.db"));
    SqliteStore::open(&path, StoreConfig::default()).expect("a new store")
}

#[test]
fn knowledge() {
    with_stores(|make| conformance::knowledge_store(make));
}

#[test]
fn conversations() {
    with_stores(|make| conformance::conversation_store(make));
}

#[test]
fn lines_of_work() {
    with_stores(|make| conformance::thread_state_store(make));
}

#[test]
fn audit() {
    with_stores(|make| conformance::audit_store(make));
}

#[test]
fn graph() {
    with_stores(|make| conformance::graph_store(make));
}
