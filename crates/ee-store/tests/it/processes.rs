//! Several processes at once, and one that dies.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ee_store::conformance::{scope, source};
use ee_store::{AuditStore, KnowledgeStore, SqliteStore, TantivyIndex, TextIndex, follow};
use km_core::{Administrator, Identity};

use crate::support::{open, temporary};

/// Where a started process finds the store, and which it is.
const STORE: &str = "EE_STORE_TEST_STORE";
const NUMBER: &str = "EE_STORE_TEST_NUMBER";

const PROCESSES: usize = 4;
const SOURCES: usize = 12;

/// Runs one ignored test of this executable in a process of its own.
fn start(test: &str, store: &Path, number: usize) -> Child {
    Command::new(std::env::current_exe().expect("this executable"))
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(STORE, store)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

fn given_store() -> SqliteStore {
    open(&PathBuf::from(
        std::env::var_os(STORE).expect("started by another test"),
    ))
}

fn index_of(store: &SqliteStore) -> TantivyIndex {
    let id = store.store_id().expect("an id");
    TantivyIndex::open(&store.text_index_folder(), &id).expect("an index")
}

fn word(process: usize, number: usize) -> String {
    format!("word{process}x{number}")
}

#[test]
#[ignore = "run by four_processes_lose_nothing"]
fn ingest_and_search() {
    let store = given_store();
    let process: usize = std::env::var(NUMBER)
        .expect("a number")
        .parse()
        .expect("a number");
    let index = index_of(&store);
    let everyone = scope(&Identity::default(), 0);
    for number in 0..SOURCES {
        let name = format!("{process}/{number}");
        let word = word(process, number);
        store
            .replace_source(&source(&name, &["draft"]))
            .expect("a first version");
        store
            .replace_source(&source(&name, &[&word, "common"]))
            .expect("a second version");
        follow(&store, &index, Administrator::assume()).expect("an index in step");
        let visible = store.visible(&everyone).expect("a read");
        let hits = index
            .search(&word, 3, &|key| visible.contains(key))
            .expect("a search");
        let keys: Vec<u64> = hits.iter().map(|hit| hit.key).collect();
        let units = store.units(&everyone, &keys).expect("a read");
        assert_eq!(units.len(), 1, "{word} is found at once");
        assert_eq!(units[0].unit.content, word);
    }
}

#[test]
fn four_processes_lose_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Not made yet: the processes race for that, too.
    let path = folder.path().join("shared.db");
    let children: Vec<Child> = (0..PROCESSES)
        .map(|number| start("processes::ingest_and_search", &path, number))
        .collect();
    for child in children {
        let ended = child.wait_with_output().expect("an end");
        let output = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(
            ended.status.success() && output.contains("1 passed"),
            "{output}"
        );
    }
    let store = open(&path);
    let capability = Administrator::assume();
    let stats = store.stats(capability).expect("a read");
    assert_eq!(stats.units as usize, PROCESSES * SOURCES * 2);
    store.check_integrity(capability).expect("a sound store");
    let index = index_of(&store);
    follow(&store, &index, capability).expect("an index in step");
    for (process, number) in (0..PROCESSES).flat_map(|p| (0..SOURCES).map(move |n| (p, n))) {
        let hits = index
            .search(&word(process, number), 9, &|_| true)
            .expect("a search");
        assert_eq!(hits.len(), 1);
    }
    assert!(
        index
            .search("draft", 9, &|_| true)
            .expect("a search")
            .is_empty()
    );
    let common = index.search("common", 1_000, &|_| true).expect("a search");
    assert_eq!(common.len(), PROCESSES * SOURCES);
}

#[test]
#[ignore = "run by the_first_phase_survives_a_kill"]
fn begin_and_hang() {
    let store = given_store();
    let everyone = scope(&Identity::default(), 0);
    store
        .begin_turn(&everyone, None, "what was asked", &[])
        .expect("a write");
    println!("begun");
    loop {
        std::thread::park();
    }
}

#[test]
fn the_first_phase_survives_a_kill() {
    let made = temporary();
    let mut child = start("processes::begin_and_hang", made.store.path(), 0);
    let output = BufReader::new(child.stdout.take().expect("its output"));
    let begun = output
        .lines()
        .map_while(Result::ok)
        .any(|line| line.contains("begun"));
    child.kill().expect("SIGKILL");
    child.wait().expect("an end");
    assert!(begun);
    let everyone = scope(&Identity::default(), 0);
    let turns = made.store.latest_turns(&everyone, 9).expect("a read");
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].question, "what was asked");
    assert!(turns[0].outcome.is_none());
}
