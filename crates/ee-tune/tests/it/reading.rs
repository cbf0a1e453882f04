//! Every setting that a suite claims to read has a say in what it measures.

use std::path::Path;

use ee_embed::LexicalEmbedder;
use ee_index::IndexConfig;
use ee_pipeline::{MemoryConfig, SearchSystem};
use ee_tune::{
    MemoryDataset, MemorySubject, MemoryTuning, Preset, SearchSpace, ThreadDataset, ThreadTuning,
    TunableSettings, TuneError, TuningPlan, TuningSubject,
};
use km_core::Timestamp;

use crate::support::{faq, fixtures, plan};

fn memory() -> MemoryTuning {
    let embedder = LexicalEmbedder::new(256);
    let subject = MemorySubject {
        embedder: &embedder,
        reranker: None,
        memory: &MemoryConfig::default(),
        index: &IndexConfig::default(),
        system: SearchSystem::Hybrid,
    };
    let mut dataset = MemoryDataset::load(&fixtures().join("memory")).unwrap();
    for turns in dataset.conversations.values_mut() {
        let first = turns[0].at.as_millisecond();
        for turn in turns {
            // Sessions weeks apart say nothing about hours of silence.
            let since = (turn.at.as_millisecond() - first) / 50;
            turn.at = Timestamp::from_millisecond(first + since).unwrap();
        }
    }
    MemoryTuning::prepare(subject, dataset).unwrap()
}

/// Three lines of work that take turns, over days; somebody asks, somebody does.
fn threads(folder: &Path) -> ThreadTuning {
    let subjects = [
        ("pump", "the pump in `pump.rs` of the backend api"),
        ("page", "the button on the page, css and react component"),
        (
            "rota",
            "the deploy of the cluster with docker and kubernetes",
        ),
    ];
    let says = [
        "how does this work:",
        "please fix the bug in",
        "implement a test for",
        "thanks, about",
        "no, that is wrong with",
        "let us design",
    ];
    let mut rows = String::new();
    for at in 0..240_usize {
        let (thread, about) = subjects[(at / 3 + at % 5) % 3];
        let (day, hour) = (1 + at / 10, 8 + at % 10);
        let row = serde_json::json!({
            "file": format!("f{}", at / 120), "idx": at, "thread": thread,
            "time": format!("2026-03-{day:02}T{hour:02}:00:00Z"), "user": format!("u{}", at % 2),
            "text": format!("{} {about}, part {}", says[at % says.len()], at % 11),
        });
        rows.push_str(&row.to_string());
        rows.push('\n');
    }
    let path = folder.join("messages.jsonl");
    std::fs::write(&path, rows).unwrap();
    ThreadTuning::prepare(
        &LexicalEmbedder::new(256),
        ThreadDataset::load(&path).unwrap(),
    )
    .unwrap()
}

/// The searched settings that change nothing wherever they are put, from any of these beginnings.
fn silent(subject: &dyn TuningSubject, beginnings: &[TunableSettings]) -> Vec<String> {
    let all = SearchSpace::declared().unwrap();
    let places: Vec<usize> = (0..subject.cases().len()).collect();
    let keys = subject.searched().iter();
    let says_something = |key: &str| {
        let one = all.select(&[key]).unwrap();
        assert!(subject.reads(key), "{key} is searched and not read");
        beginnings.iter().any(|base| {
            let before = subject.measure(base, &places).unwrap();
            [0.0, 0.3, 0.7, 1.0].iter().any(|place| {
                let mut point = one.point_of(base).unwrap();
                point[0] = *place;
                let changed = SearchSpace::assign(base, &one.values_at(&point)).unwrap();
                subject.measure(&changed, &places).unwrap() != before
            })
        })
    };
    keys.filter(|key| !says_something(key))
        .map(|key| (*key).to_owned())
        .collect()
}

#[test]
fn what_is_searched_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let [shipped, seed] = [Preset::Shipped, Preset::Seed].map(|one| one.settings().unwrap());
    // How fast a line of work fades has a say only where fading has one.
    let mut fading = shipped.clone();
    fading.turn.context.assembly.recency_exponent = 0.5;
    let beginnings = [shipped, seed, fading];
    let subjects: [Box<dyn TuningSubject>; 3] = [
        Box::new(faq()),
        Box::new(memory()),
        Box::new(threads(folder.path())),
    ];
    for subject in subjects {
        let silent = silent(subject.as_ref(), &beginnings);
        assert!(
            silent.is_empty(),
            "{}: nothing reads {silent:?}",
            subject.suite()
        );
    }
}

#[test]
fn what_a_suite_does_not_read_is_refused() {
    let space = SearchSpace::declared().unwrap();
    let keys = ["search.dense_weight", "memory.dense_weight"];
    let plan = TuningPlan {
        space: space.select(&keys).unwrap(),
        ..plan(10, 1)
    };
    match plan.check(&faq()) {
        Err(TuneError::Unread { keys, .. }) => assert_eq!(keys, ["memory.dense_weight"]),
        outcome => panic!("{outcome:?}"),
    }
}
