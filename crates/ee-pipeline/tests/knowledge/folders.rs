//! Folders that are ingested again and again.

use std::sync::atomic::{AtomicUsize, Ordering};

use ee_pipeline::{
    Cancellation, IngestProgress, IngestRequest, PipelineError, SearchSystem, Vanished,
};
use km_core::Governance;

use crate::support::{CancelAfter, Place, Silent, assert_in_step, found, request, source};

const TOKENS: &str = "# Tokens\n\nAccess tokens expire after fifteen minutes.\n";
const CANTEEN: &str = "# Canteen\n\nThe canteen opens at eight and serves soup.\n";

#[test]
fn a_second_run_changes_nothing() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    place.write("sub/canteen.md", CANTEEN);
    let base = place.base();
    let first = place.ingest(&base);
    assert_eq!((first.added, first.unchanged, first.sources()), (2, 0, 2));
    assert!(first.units_added >= 2);
    let before = place.content();
    let second = place.ingest(&base);
    assert_eq!(
        (
            second.added,
            second.unchanged,
            second.replaced,
            second.removed
        ),
        (0, 2, 0, 0)
    );
    assert_eq!((second.units_added, second.units_removed), (0, 0));
    assert_eq!(place.content(), before);
    assert_in_step(&place, &base);
}

#[test]
fn an_edit_replaces_only_what_changed() {
    let place = Place::new();
    place.write(
        "tokens.md",
        "# Tokens\n\nOne.\n\n# Other\n\nThis stays as it is.\n",
    );
    let base = place.base();
    place.ingest(&base);
    let before = place.content();
    place.write(
        "tokens.md",
        "# Tokens\n\nTwo.\n\n# Other\n\nThis stays as it is.\n",
    );
    let report = place.ingest(&base);
    assert_eq!(
        (report.replaced, report.units_added, report.units_removed),
        (1, 1, 1)
    );
    let after = place.content();
    let kept = before.keys().filter(|id| after.contains_key(id)).count();
    assert_eq!(kept, before.len() - 1);
    assert_in_step(&place, &base);
}

#[test]
fn a_renamed_file_keeps_its_embeddings() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    let base = place.base();
    let first = place.ingest(&base);
    place.rename("tokens.md", "security/tokens.md");
    let second = place.ingest(&base);
    assert_eq!((second.added, second.removed), (1, 1));
    assert_eq!(second.embeddings_reused, first.units_added);
    assert_eq!(
        found(&base, "tokens", SearchSystem::Hybrid),
        ["security/tokens.md"]
    );
    assert_in_step(&place, &base);
}

#[test]
fn vanished_files_go_only_when_pruning() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    place.write("canteen.md", CANTEEN);
    let base = place.base();
    place.ingest(&base);
    place.delete("tokens.md");
    let keeping = IngestRequest {
        vanished: Vanished::Keep,
        ..request(&place.documents())
    };
    let report = base
        .ingest(&keeping, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!(
        (
            report.removed,
            found(&base, "tokens", SearchSystem::Bm25).len()
        ),
        (0, 1)
    );
    assert_eq!(place.ingest(&base).removed, 1);
    assert!(found(&base, "tokens", SearchSystem::Bm25).is_empty());
    assert_in_step(&place, &base);
}

#[test]
fn a_file_that_became_empty_loses_its_units() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    let base = place.base();
    place.ingest(&base);
    place.write("tokens.md", " \n");
    let keeping = IngestRequest {
        vanished: Vanished::Keep,
        ..request(&place.documents())
    };
    let report = base
        .ingest(&keeping, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!((report.removed, report.skipped.len()), (1, 1));
    assert!(place.content().is_empty());
}

#[test]
fn a_missing_folder_prunes_nothing() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    let base = place.base();
    place.ingest(&base);
    std::fs::rename(place.documents(), place.path().join("elsewhere")).expect("renamed");
    let report = place.ingest(&base);
    assert_eq!((report.removed, report.skipped.len()), (0, 1));
    assert_eq!(found(&base, "tokens", SearchSystem::Bm25).len(), 1);
}

#[test]
fn an_emptied_folder_is_refused_and_loses_nothing() {
    let place = Place::new();
    place.write("a/tokens.md", TOKENS);
    place.write("canteen.md", CANTEEN);
    let base = place.base();
    place.ingest(&base);
    let before = place.content();
    std::fs::rename(place.documents(), place.path().join("elsewhere")).expect("renamed");
    std::fs::create_dir(place.documents()).expect("an empty folder");
    let other = place.path().join("other");
    std::fs::create_dir(&other).expect("a folder");
    std::fs::write(other.join("new.md"), "# New\n\nText.\n").expect("a file");
    let emptied = IngestRequest {
        paths: vec![other, place.documents()],
        ..request(&place.documents())
    };
    let ingest = |request: &IngestRequest| base.ingest(request, &Silent, &Cancellation::default());
    match ingest(&emptied) {
        Err(error @ PipelineError::FolderEmptied { sources: 2, .. }) => {
            assert!(error.to_string().contains("--prune-all"), "{error}");
        }
        other => panic!("expected a refusal, got {other:?}"),
    }
    assert_eq!(place.content(), before);
    let keeping = IngestRequest {
        vanished: Vanished::Keep,
        ..request(&place.documents())
    };
    assert_eq!(ingest(&keeping).expect("a report").removed, 0);
    let removing = IngestRequest {
        vanished: Vanished::RemoveAll,
        ..request(&place.documents())
    };
    assert_eq!(ingest(&removing).expect("a report").removed, 2);
    assert!(place.content().is_empty());
    assert_eq!(place.ingest(&base).removed, 0, "nothing left to refuse");
}

#[test]
fn one_long_file_tells_how_far_it_is() {
    struct Heard(std::sync::Mutex<Vec<(usize, usize)>>);
    impl IngestProgress for Heard {
        fn file(&self, _done: usize, _found: usize, _source: &str) {}
        fn embedded(&self, done: usize, all: usize) {
            self.0.lock().expect("no panic").push((done, all));
        }
    }
    let place = Place::new();
    let rows: Vec<String> = (0..300)
        .map(|row| format!("# Row {row}\n\nNumber {row} here.\n"))
        .collect();
    place.write("long.md", rows.concat());
    let heard = Heard(std::sync::Mutex::default());
    place
        .base()
        .ingest(
            &request(&place.documents()),
            &heard,
            &Cancellation::default(),
        )
        .expect("a report");
    let heard = heard.0.into_inner().expect("no panic");
    assert_eq!(heard, [(128, 300), (256, 300), (300, 300)]);
}

#[test]
fn a_part_of_a_folder_keeps_the_folders_names() {
    let place = Place::new();
    place.write("a/tokens.md", TOKENS);
    place.write("b/canteen.md", CANTEEN);
    let base = place.base();
    place.ingest(&base);
    place.write("a/more.md", "# More\n\nMore about tokens of access.\n");
    place.delete("a/tokens.md");
    let part = request(&place.documents().join("a"));
    let report = base
        .ingest(&part, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!((report.added, report.removed), (1, 1));
    let mut names = found(&base, "tokens canteen", SearchSystem::Hybrid);
    names.sort();
    assert_eq!(names, ["a/more.md", "b/canteen.md"]);
    let file = request(&place.documents().join("b/canteen.md"));
    let report = base
        .ingest(&file, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!((report.unchanged, report.removed), (1, 0));
}

#[test]
fn a_folder_above_takes_over() {
    let place = Place::new();
    place.write("a/tokens.md", TOKENS);
    let base = place.base();
    let part = request(&place.documents().join("a"));
    base.ingest(&part, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!(found(&base, "tokens", SearchSystem::Bm25), ["tokens.md"]);
    let report = place.ingest(&base);
    assert_eq!((report.added, report.removed), (1, 1));
    assert_eq!(found(&base, "tokens", SearchSystem::Bm25), ["a/tokens.md"]);
}

#[test]
fn two_folders_with_one_name_do_not_overwrite_each_other() {
    let place = Place::new();
    place.write("a/readme.md", TOKENS);
    place.write("b/readme.md", CANTEEN);
    let base = place.base();
    let both = IngestRequest {
        paths: vec![place.documents().join("a"), place.documents().join("b")],
        vanished: Vanished::RemoveAll,
        ..request(&place.documents())
    };
    let report = base
        .ingest(&both, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!((report.added, report.skipped.len()), (1, 1), "{report:?}");
    assert!(
        report.skipped[0].reason.to_string().contains("readme.md"),
        "{report:?}"
    );
    assert_eq!(found(&base, "tokens", SearchSystem::Bm25), ["readme.md"]);
    // The name is free once the first folder lets go of it.
    place.delete("a/readme.md");
    let report = base
        .ingest(&both, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!(report.skipped.len(), 0, "{report:?}");
    assert_eq!(found(&base, "canteen", SearchSystem::Bm25), ["readme.md"]);
    assert!(found(&base, "tokens", SearchSystem::Bm25).is_empty());
}

#[test]
fn each_tenant_has_names_of_its_own() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    let base = place.base();
    for tenant in ["acme", "globex"] {
        let governance = Governance {
            tenant: Some(tenant.to_owned()),
            ..Governance::default()
        };
        let request = IngestRequest {
            governance,
            ..request(&place.documents())
        };
        let report = base
            .ingest(&request, &Silent, &Cancellation::default())
            .expect("a report");
        assert_eq!((report.added, report.removed), (1, 0), "{tenant}");
    }
    let ids = place.content().len();
    let governance = Governance {
        tenant: Some("acme".to_owned()),
        ..Governance::default()
    };
    let request = IngestRequest {
        governance,
        ..request(&place.documents())
    };
    let report = base
        .ingest(&request, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!((report.unchanged, place.content().len()), (1, ids));
    place.delete("tokens.md");
    let request = IngestRequest {
        vanished: Vanished::RemoveAll,
        ..request
    };
    let report = base
        .ingest(&request, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!((report.removed, place.content().len()), (1, ids / 2));
}

#[test]
fn other_settings_make_units_anew() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    let base = place.base();
    place.ingest(&base);
    let governance = Governance {
        clearance: 3,
        ..Governance::default()
    };
    let raised = IngestRequest {
        governance,
        ..request(&place.documents())
    };
    let report = base
        .ingest(&raised, &Silent, &Cancellation::default())
        .expect("a report");
    assert_eq!((report.added, report.removed), (0, 0));
    assert!(
        found(&base, "tokens", SearchSystem::Hybrid).is_empty(),
        "now out of reach"
    );
}

#[test]
fn a_cancelled_run_goes_on_where_it_stopped() {
    let place = Place::new();
    for number in 0..600 {
        place.write(
            &format!("{number:03}.md"),
            format!("# Page {number}\n\nWord{number} here.\n"),
        );
    }
    let base = place.base();
    let cancellation = Cancellation::default();
    let progress = CancelAfter {
        sources: 100,
        cancellation: cancellation.clone(),
        heard: AtomicUsize::new(0),
    };
    let report = base
        .ingest(&request(&place.documents()), &progress, &cancellation)
        .expect("a report");
    assert!(report.cancelled);
    assert!((100..600).contains(&report.added), "{}", report.added);
    assert_in_step(&place, &base);
    let rest = place.ingest(&base);
    assert!(!rest.cancelled);
    assert_eq!(
        (rest.unchanged, rest.added),
        (report.added, 600 - report.added)
    );
    assert_eq!(found(&base, "word599", SearchSystem::Bm25), ["599.md"]);
    assert_in_step(&place, &base);
}

#[test]
fn progress_counts_every_source_once() {
    let place = Place::new();
    place.write("tokens.md", TOKENS);
    place.write("empty.md", "");
    place.write("canteen.md", CANTEEN);
    let base = place.base();
    let cancellation = Cancellation::default();
    let progress = CancelAfter {
        sources: usize::MAX,
        cancellation: cancellation.clone(),
        heard: AtomicUsize::new(0),
    };
    for _ in 0..2 {
        base.ingest(&request(&place.documents()), &progress, &cancellation)
            .expect("a report");
        assert_eq!(progress.heard.load(Ordering::Relaxed), 3);
    }
}

#[test]
fn sources_in_memory_are_replaced_by_name() {
    let place = Place::new();
    let base = place.base();
    let ingest = |text: &str| {
        let mut sources = [source("note", text)].into_iter();
        base.ingest_sources(&mut sources, &Silent, &Cancellation::default())
            .expect("a report")
    };
    assert_eq!(ingest("Tokens expire.").added, 1);
    assert_eq!(ingest("Tokens expire.").unchanged, 1);
    assert_eq!(ingest("Tokens live on.").replaced, 1);
    assert_eq!(place.content().len(), 1);
    assert_in_step(&place, &base);
}
