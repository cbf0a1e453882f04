//! Several knowledge bases on one folder, in one process and in several.

use std::path::PathBuf;
use std::process::{Child, Command};

use ee_pipeline::{Cancellation, SearchSystem};

use crate::support::{Place, Silent, assert_in_step, found, open_base, source};

/// Where a started process finds the store, and which it is.
const FOLDER: &str = "EE_PIPELINE_TEST_FOLDER";
const NUMBER: &str = "EE_PIPELINE_TEST_NUMBER";

const PROCESSES: usize = 4;
const ROUNDS: usize = 8;

#[test]
fn two_bases_see_each_others_commits_at_the_next_query() {
    let place = Place::new();
    let (one, other) = (place.base(), place.base());
    for number in 0..5 {
        let (writer, reader) = if number % 2 == 0 {
            (&one, &other)
        } else {
            (&other, &one)
        };
        let mut sources = [source("note", &format!("Tokens word{number}."))].into_iter();
        writer
            .ingest_sources(&mut sources, &Silent, &Cancellation::default())
            .expect("a report");
        for system in [
            SearchSystem::Bm25,
            SearchSystem::Dense,
            SearchSystem::Hybrid,
        ] {
            assert_eq!(
                found(reader, &format!("word{number}"), system),
                ["note"],
                "{system:?}"
            );
        }
        assert!(found(reader, "word9", SearchSystem::Bm25).is_empty());
    }
    assert_in_step(&place, &one);
    assert_in_step(&place, &other);
}

#[test]
#[ignore = "run by four_processes_lose_nothing"]
fn ingest_and_search() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("started by another test"));
    let process = std::env::var(NUMBER).expect("a number");
    let base = open_base(&folder);
    for round in 0..ROUNDS {
        let word = format!("word{process}x{round}");
        let mut sources = (0..3).map(|part| {
            source(
                &format!("{process}/{round}/{part}"),
                &format!("Says {word} in part{part}."),
            )
        });
        let report = base
            .ingest_sources(&mut sources, &Silent, &Cancellation::default())
            .expect("a report");
        assert_eq!(report.added, 3);
        assert_eq!(found(&base, &word, SearchSystem::Bm25).len(), 3);
        assert!(found(&base, &word, SearchSystem::Hybrid).len() >= 3);
    }
}

fn start(place: &Place, number: usize) -> Child {
    Command::new(std::env::current_exe().expect("this executable"))
        .args([
            "--exact",
            "processes::ingest_and_search",
            "--ignored",
            "--nocapture",
        ])
        .env(FOLDER, place.path())
        .env(NUMBER, number.to_string())
        .spawn()
        .expect("a process")
}

#[test]
fn four_processes_lose_nothing() {
    let place = Place::new();
    let children: Vec<Child> = (0..PROCESSES).map(|number| start(&place, number)).collect();
    for mut child in children {
        assert!(child.wait().expect("an end").success());
    }
    let base = place.base();
    assert_eq!(place.content().len(), PROCESSES * ROUNDS * 3);
    assert_in_step(&place, &base);
    for number in 0..PROCESSES {
        let word = format!("word{number}x{}", ROUNDS - 1);
        assert_eq!(found(&base, &word, SearchSystem::Bm25).len(), 3);
    }
}
