//! A user's own labelled set, from a draft to figures, and public ones.

use crate::run::{Home, workspace};

fn handbook() -> String {
    workspace()
        .join("fixtures/handbook/policies")
        .to_str()
        .unwrap()
        .to_owned()
}

#[test]
fn questions_are_drafted_from_the_store_and_measured_on_a_copy_of_it() {
    let home = Home::new();
    home.run(["ingest", &handbook()]).ended(0);
    let before = home.run(["--json", "stats"]).ended(0).json();
    let drafted = home
        .run(["--json", "eval", "init", "mine", "--limit", "12"])
        .ended(0)
        .json();
    assert_eq!(drafted["questions"], 12);
    let questions = std::fs::read_to_string(home.path().join("mine/questions.jsonl")).unwrap();
    assert!(
        questions
            .lines()
            .all(|line| line.contains("\"synthetic\":true")),
        "{questions}"
    );
    let refused = home.run(["eval", "init", "mine"]).ended(1);
    assert!(
        refused.err().contains("another folder"),
        "{}",
        refused.err()
    );

    let report = home
        .run(["--json", "eval", "retrieval", "--data", "mine"])
        .ended(0)
        .json();
    assert_eq!(report["n"], 12);
    assert!(
        report["metrics"]["recall@5"].as_f64() >= Some(0.7),
        "{report}"
    );
    let report = home
        .run(["--json", "eval", "qa", "--data", "mine"])
        .ended(0)
        .json();
    let share = |name: &str| report["metrics"][name].as_f64().unwrap();
    assert!(share("correct") > 0.0 && share("wrong") == 0.0, "{report}");
    home.run(["eval", "election", "--data", "mine"]).ended(0);
    assert_eq!(home.run(["--json", "stats"]).ended(0).json(), before);
}

#[test]
fn a_folder_of_documents_and_questions_is_measured_by_itself() {
    let home = Home::new();
    let folder = home.path().join("mine");
    std::fs::create_dir_all(folder.join("documents")).unwrap();
    let leave = "# Leave\n\nEverybody has 30 days of leave a year.\n";
    std::fs::write(folder.join("documents/leave.md"), leave).unwrap();
    let canteen = "# Canteen\n\nThe canteen opens at eight.\n";
    std::fs::write(folder.join("documents/canteen.md"), canteen).unwrap();
    let row = r#"{"question": "How many days of leave does everybody have a year?",
        "answer": "30 days", "def_incorrect_predictions": ["28 days"], "sources": ["leave.md"]}"#;
    std::fs::write(
        folder.join("questions.jsonl"),
        row.replace('\n', " ") + "\n",
    )
    .unwrap();
    let report = home
        .run([
            "--json",
            "eval",
            "qa",
            "--data",
            "mine",
            "--rows",
            "rows.jsonl",
        ])
        .ended(0)
        .json();
    assert_eq!(report["metrics"]["correct"], 1.0, "{report}");
    let report = home
        .run(["--json", "eval", "election", "--data", "mine"])
        .ended(0)
        .json();
    assert_eq!(report["metrics"]["f1"], 1.0, "{report}");

    let bad = "{\"question\": \"a\", \"answer\": \"b\", \"sources\": [\"gone.md\"]}\n";
    std::fs::write(folder.join("questions.jsonl"), format!("\n{bad}")).unwrap();
    let refused = home.run(["eval", "retrieval", "--data", "mine"]).ended(1);
    assert!(
        refused.err().contains("row 2") && refused.err().contains("gone.md"),
        "{}",
        refused.err()
    );
}

#[test]
fn an_empty_store_has_nothing_to_ask_about() {
    let home = Home::with_empty_store();
    home.run(["eval", "init", "mine"]).ended(3);
    assert!(!home.path().join("mine").exists());
    let missing = Home::new().run(["eval", "init", "mine"]).ended(1);
    assert!(missing.err().contains("eerag ingest"), "{}", missing.err());
}

#[test]
fn public_datasets_show_their_licence_and_are_checked() {
    let home = Home::new();
    let listed = home.run(["eval", "fetch"]).ended(0).out();
    assert!(
        listed.contains("scifact") && listed.contains("not for commercial use"),
        "{listed}"
    );
    let unknown = home
        .run(["eval", "fetch", "scifat", "--to", "data"])
        .ended(1);
    assert!(
        unknown.err().contains("name one of scifact"),
        "{}",
        unknown.err()
    );
    std::fs::write(home.path().join("scifact.zip"), "not it").unwrap();
    let changed = home
        .run(["eval", "fetch", "scifact", "--to", "data", "--from", "."])
        .ended(1);
    assert!(changed.err().contains("CC BY-NC 2.0"), "{}", changed.err());
    assert!(
        changed.err().contains("536e14446a0ba56e"),
        "{}",
        changed.err()
    );
    let nowhere = home
        .run(["eval", "fetch", "locomo", "--from", "."])
        .ended(1);
    assert!(nowhere.err().contains("--to FOLDER"), "{}", nowhere.err());
}
