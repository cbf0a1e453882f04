//! Opening files: ours, others', damaged ones, later ones.

use std::fs;
use std::path::Path;

use ee_store::conformance::{scope, source};
use ee_store::{KnowledgeStore, SqliteStore, StoreConfig, StoreError};
use km_core::{Administrator, Identity};
use rusqlite::Connection;

use crate::support::{open, temporary};

fn refusal(path: &Path) -> StoreError {
    SqliteStore::open(path, StoreConfig::default()).expect_err("a file that is refused")
}

#[test]
fn a_new_folder_is_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("Übung 知识").join("knowledge.db");
    open(&path);
    assert!(path.is_file());
    assert_eq!(open(&path).text_index_folder(), path.with_extension("text"));
}

#[test]
fn everything_is_there_after_reopening() {
    let made = temporary();
    made.store
        .replace_source(&source("a", &["one"]))
        .expect("a write");
    let id = made.store.store_id().expect("an id");
    let path = made.store.path().to_owned();
    drop(made.store);
    let reopened = open(&path);
    let everyone = scope(&Identity::default(), 0);
    assert_eq!(reopened.units(&everyone, &[1]).expect("a read").len(), 1);
    assert_eq!(reopened.store_id().expect("an id"), id);
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = folder.path().join("notes.txt");
    fs::write(
        &text,
        "A text that is longer than the header of a database.".repeat(20),
    )
    .expect("a file");
    let before = fs::read(&text).expect("a file");
    assert!(matches!(refusal(&text), StoreError::NotAStore { .. }));
    assert_eq!(
        fs::read(&text).expect("a file"),
        before,
        "it is left as it was"
    );

    let other = folder.path().join("other.db");
    let connection = Connection::open(&other).expect("a database");
    connection
        .execute_batch("CREATE TABLE notes (text TEXT)")
        .expect("a table");
    assert!(matches!(refusal(&other), StoreError::NotAStore { .. }));

    let marked = folder.path().join("marked.db");
    let connection = Connection::open(&marked).expect("a database");
    connection
        .pragma_update(None, "application_id", 77)
        .expect("an application id");
    assert!(matches!(refusal(&marked), StoreError::NotAStore { .. }));
    assert!(matches!(
        refusal(folder.path()),
        StoreError::NotAStore { .. }
    ));
}

#[test]
fn a_later_schema_is_refused() {
    let made = temporary();
    let path = made.store.path().to_owned();
    drop(made.store);
    Connection::open(&path)
        .and_then(|connection| connection.pragma_update(None, "user_version", 99))
        .expect("a later version");
    let error = refusal(&path);
    assert!(matches!(error, StoreError::NewerSchema { found: 99, .. }));
    assert!(error.to_string().contains("update the program"));
}

#[test]
fn damage_is_named() {
    let made = temporary();
    let texts: Vec<String> = (0..200)
        .map(|n| format!("text number {n} {}", "x".repeat(500)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    made.store
        .replace_source(&source("a", &texts))
        .expect("a write");
    made.store
        .check_integrity(Administrator::assume())
        .expect("a sound store");
    let path = made.store.path().to_owned();
    drop(made.store);
    // A log that is left behind would hold whole copies of the damaged pages.
    Connection::open(&path)
        .and_then(|file| file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
        .expect("an empty log");
    let mut bytes = fs::read(&path).expect("a file");
    let middle = bytes.len() / 2;
    bytes
        .iter_mut()
        .skip(middle)
        .take(8_192)
        .for_each(|byte| *byte = 0xa5);
    fs::write(&path, bytes).expect("a file");
    let found = SqliteStore::open(&path, StoreConfig::default())
        .and_then(|store| store.check_integrity(Administrator::assume()));
    assert!(
        matches!(found, Err(StoreError::Damaged { .. })),
        "{found:?}"
    );
}

#[test]
fn a_wrong_embedding_hash_is_damage() {
    let made = temporary();
    made.store
        .replace_source(&source("a", &["one"]))
        .expect("a write");
    Connection::open(made.store.path())
        .and_then(|connection| {
            connection.execute("UPDATE embeddings SET vector = zeroblob(32)", [])
        })
        .expect("a change behind the store's back");
    let found = made.store.check_integrity(Administrator::assume());
    assert!(matches!(found, Err(StoreError::Damaged { .. })));
}

#[test]
fn settings_are_checked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for config in [
        StoreConfig {
            write_queue_depth: 0,
            ..StoreConfig::default()
        },
        StoreConfig {
            write_wait_seconds: 0,
            ..StoreConfig::default()
        },
        StoreConfig {
            read_connections: 0,
            ..StoreConfig::default()
        },
        StoreConfig {
            remembered_changes: 0,
            ..StoreConfig::default()
        },
        StoreConfig {
            busy_timeout_milliseconds: u64::MAX,
            ..StoreConfig::default()
        },
    ] {
        let refused = SqliteStore::open(&folder.path().join("a.db"), config);
        assert!(matches!(refused, Err(StoreError::Setting { .. })));
    }
    assert!(serde_json::from_str::<StoreConfig>(r#"{"unknown": 1}"#).is_err());
}

#[test]
fn the_version_1_fixture_opens() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ok/version-1.db");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("version-1.db");
    fs::copy(fixture, &path).expect("the fixture");
    let store = open(&path);
    store
        .check_integrity(Administrator::assume())
        .expect("a sound store");
    let everyone = scope(&Identity::default(), 0);
    let units = store.units(&everyone, &[1, 2, 3]).expect("a read");
    let contents: Vec<&str> = units
        .iter()
        .map(|unit| unit.unit.content.as_str())
        .collect();
    assert_eq!(
        contents,
        ["Remote work needs approval.", "远程办公需要批准。"]
    );
    assert_eq!(
        store.fingerprint().expect("a read").as_deref(),
        Some("fixture model")
    );
}
