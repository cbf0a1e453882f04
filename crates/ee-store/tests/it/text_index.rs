//! The text index beside its store: damage, other processes, catching up.

use std::fs;
use std::path::Path;

use ee_store::conformance::{scope, source};
use ee_store::{KnowledgeStore, TantivyIndex, TextIndex, UnitKey, follow};
use km_core::{Administrator, Identity, SourceId};

use crate::support::{Temporary, temporary};

fn open(made: &Temporary) -> TantivyIndex {
    let id = made.store.store_id().expect("an id");
    TantivyIndex::open(&made.store.text_index_folder(), &id).expect("an index")
}

fn step(made: &Temporary, index: &TantivyIndex) -> u64 {
    follow(&made.store, index, Administrator::assume()).expect("an index in step")
}

fn found(index: &TantivyIndex, query: &str) -> Vec<UnitKey> {
    let hits = index.search(query, 10, &|_| true).expect("a search");
    hits.iter().map(|hit| hit.key).collect()
}

#[test]
fn it_catches_up_after_replace_delete_and_a_crash_in_between() {
    let made = temporary();
    let index = open(&made);
    made.store
        .replace_source(&source("a", &["apple", "pear"]))
        .expect("a write");
    step(&made, &index);
    assert_eq!(found(&index, "apple"), [1]);
    made.store
        .replace_source(&source("a", &["pear", "cherry"]))
        .expect("a write");
    made.store
        .replace_source(&source("b", &["plum"]))
        .expect("a write");
    // The process ends here, between the commit of the store and that of the index.
    drop(index);
    let index = open(&made);
    assert_eq!(found(&index, "apple"), [1], "not yet in step");
    let reached = step(&made, &index);
    assert_eq!(index.sequence().expect("a read"), reached);
    assert!(found(&index, "apple").is_empty());
    assert_eq!(found(&index, "cherry plum").len(), 2);
    let everyone = scope(&Identity::default(), 0);
    made.store
        .remove_source(&everyone, &SourceId::new("b"))
        .expect("a write");
    step(&made, &index);
    assert!(found(&index, "plum").is_empty());
}

#[test]
fn another_opening_sees_commits_at_its_next_query() {
    let made = temporary();
    let (one, other) = (open(&made), open(&made));
    assert!(found(&other, "apple").is_empty());
    made.store
        .replace_source(&source("a", &["apple"]))
        .expect("a write");
    step(&made, &one);
    assert_eq!(found(&other, "apple"), [1]);
    made.store
        .replace_source(&source("a", &["pear"]))
        .expect("a write");
    step(&made, &other);
    assert!(found(&one, "apple").is_empty());
    assert_eq!(found(&one, "pear"), [2]);
}

#[test]
fn title_and_headings_are_searched() {
    let made = temporary();
    let index = open(&made);
    let mut write = source("a", &["content"]);
    write.title = Some("Handbuch".to_owned());
    write.units[0].unit.metadata.section_path = vec!["Urlaub".to_owned()];
    made.store.replace_source(&write).expect("a write");
    step(&made, &index);
    assert_eq!(found(&index, "Handbuch"), [1]);
    assert_eq!(found(&index, "Urlaub"), [1]);
    write.title = Some("Leitfaden".to_owned());
    made.store.replace_source(&write).expect("a write");
    step(&made, &index);
    assert!(
        found(&index, "Handbuch").is_empty(),
        "a new title is heard of"
    );
    assert_eq!(found(&index, "Leitfaden"), [1]);
}

fn files_ending_in(folder: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect()
}

#[test]
fn damaged_and_foreign_folders_are_rebuilt() {
    let made = temporary();
    made.store
        .replace_source(&source("a", &["apple"]))
        .expect("a write");
    let index = open(&made);
    step(&made, &index);
    drop(index);
    let folder = made.store.text_index_folder();
    let damage: [&dyn Fn(); 5] = [
        &|| {
            for path in files_ending_in(&folder, ".idx") {
                fs::remove_file(path).expect("a file");
            }
        },
        &|| {
            for path in files_ending_in(&folder, ".term") {
                fs::write(path, "broken").expect("a file");
            }
        },
        &|| fs::write(folder.join("meta.json"), "{").expect("a file"),
        &|| fs::write(folder.join("label"), "0 other").expect("a file"),
        &|| fs::remove_dir_all(&folder).expect("a folder"),
    ];
    for (number, damage) in damage.iter().enumerate() {
        damage();
        let index = open(&made);
        assert_eq!(index.sequence().expect("a read"), 0, "damage {number}");
        step(&made, &index);
        assert_eq!(found(&index, "apple"), [1], "damage {number}");
    }
    let stranger = TantivyIndex::open(&folder, "another store").expect("an index");
    assert!(found(&stranger, "apple").is_empty());
}

#[test]
fn an_index_of_another_history_is_rebuilt() {
    let made = temporary();
    let (later, index) = (temporary(), open(&made));
    for text in ["apple", "pear", "plum"] {
        later
            .store
            .replace_source(&source("a", &[text]))
            .expect("a write");
    }
    follow(&later.store, &index, Administrator::assume()).expect("an index in step");
    made.store
        .replace_source(&source("a", &["cherry"]))
        .expect("a write");
    step(&made, &index);
    assert!(found(&index, "plum").is_empty());
    assert_eq!(found(&index, "cherry"), [1]);
}
