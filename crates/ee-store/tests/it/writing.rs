//! Waiting for one's turn, and for other processes.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use ee_store::conformance::source;
use ee_store::{KnowledgeStore, SqliteStore, StoreConfig, StoreError};
use km_core::Administrator;
use rusqlite::Connection;

use crate::support::temporary;

/// What another process that writes looks like.
fn foreign_lock(store: &SqliteStore) -> Connection {
    let connection = Connection::open(store.path()).expect("a connection");
    connection
        .execute_batch("BEGIN IMMEDIATE")
        .expect("the write lock");
    connection
}

fn impatient(folder: &tempfile::TempDir, config: StoreConfig) -> SqliteStore {
    SqliteStore::open(&folder.path().join("a.db"), config).expect("a store")
}

#[test]
fn a_foreign_lock_is_waited_for_and_then_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = impatient(
        &folder,
        StoreConfig {
            write_retries: 2,
            write_retry_delay_milliseconds: 10,
            busy_timeout_milliseconds: 10,
            ..StoreConfig::default()
        },
    );
    let other = foreign_lock(&store);
    let refused = store.replace_source(&source("a", &["one"]));
    assert!(matches!(refused, Err(StoreError::Busy { attempts: 3 })));
    store
        .stats(Administrator::assume())
        .expect("reads do not wait");
    other
        .execute_batch("ROLLBACK")
        .expect("the end of the other write");
    store
        .replace_source(&source("a", &["one"]))
        .expect("the lock is free");
}

#[test]
fn a_full_queue_holds_writers_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = impatient(
        &folder,
        StoreConfig {
            write_queue_depth: 1,
            write_wait_seconds: 1,
            busy_timeout_milliseconds: 20_000,
            ..StoreConfig::default()
        },
    );
    let other = foreign_lock(&store);
    thread::scope(|threads| {
        let first = threads.spawn(|| store.replace_source(&source("a", &["one"])));
        // The first writer stands in the queue as soon as it has started.
        thread::sleep(Duration::from_millis(300));
        let started = Instant::now();
        let refused = store.replace_source(&source("b", &["two"]));
        assert!(matches!(
            refused,
            Err(StoreError::WriteQueue { depth: 1, .. })
        ));
        assert!(started.elapsed() >= Duration::from_secs(1));
        other
            .execute_batch("ROLLBACK")
            .expect("the end of the other write");
        first.join().expect("no panic").expect("its turn came");
    });
}

#[test]
fn many_threads_lose_nothing() {
    let made = temporary();
    let start = Barrier::new(16);
    thread::scope(|threads| {
        for writer in 0..16 {
            let (store, start) = (&made.store, &start);
            threads.spawn(move || {
                start.wait();
                let name = format!("source {writer}");
                let text = format!("text {writer}");
                store
                    .replace_source(&source(&name, &[&text]))
                    .expect("a write");
            });
        }
    });
    let stats = made.store.stats(Administrator::assume()).expect("a read");
    assert_eq!((stats.sources, stats.units), (16, 16));
}
