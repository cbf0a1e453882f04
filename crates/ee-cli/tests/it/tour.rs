//! From files to answers and back, with the real model.

use std::fs;

use serde_json::Value;

use crate::run::{Home, Ran, workspace};

/// A home whose store holds the handbook.
fn with_handbook() -> Home {
    let home = Home::new();
    let handbook = workspace().join("fixtures/handbook");
    let report = home
        .run(["--json", "ingest", handbook.to_str().unwrap()])
        .ended(0)
        .json();
    assert!(report["added"].as_u64() >= Some(25), "{report}");
    assert_eq!(report["skipped"], Value::Array(Vec::new()));
    home
}

#[test]
fn an_answer_cites_and_its_tag_leads_back_to_the_source() {
    let home = with_handbook();
    let question = "When does the travel policy require approval for flights in business class?";
    let turn = home.run(["--json", "ask", question]).ended(0).json();
    let answer = turn["answer"].as_str().unwrap();
    assert!(answer.contains("Business class"), "{answer}");
    let tag = turn["elected"][0]["tag"].as_str().unwrap();
    assert!(answer.contains(&format!("[RAG:{tag}]")), "{answer}");
    let cited = turn["citations"][0]["unit"].as_str().unwrap();
    assert!(answer.contains(&format!("[{cited}]")), "{answer}");
    let audit = home.run(["--json", "audit", tag]).ended(0).json();
    let source = audit[0]["offered"][0]["source"].as_str().unwrap();
    assert_eq!(source, "policies/travel-2026.md");
    assert_eq!(
        home.run(["--json", "show", cited]).ended(0).json()["source"],
        source
    );
}

#[test]
fn a_table_row_answers_with_its_header() {
    let home = with_handbook();
    let turn = home
        .run(["--json", "ask", "What does error code E21 mean?"])
        .ended(0)
        .json();
    let answer = turn["answer"].as_str().unwrap();
    assert!(answer.contains("| code | meaning |"), "{answer}");
    assert!(answer.contains("no echo from the water"), "{answer}");
    assert!(!answer.contains("E61"), "{answer}");
}

#[test]
fn a_question_beyond_the_store_is_declined_with_one_call() {
    let home = with_handbook();
    let turn = home
        .run(["--json", "ask", "Who won the football world cup in 1974?"])
        .ended(3)
        .json();
    assert_eq!(turn["answer"], "INSUFFICIENT DATA");
    assert_eq!(turn["calls"], 1);
}

#[test]
fn what_an_identity_may_not_see_is_not_there() {
    let home = with_handbook();
    let sources = |arguments: &[&str]| -> Vec<String> {
        let all = ["--json", "search", "salary bands midpoint", "-k", "30"];
        let ran = home.run(all.iter().copied().chain(arguments.iter().copied()));
        let hits = ran.json()["hits"].as_array().unwrap().clone();
        hits.iter()
            .map(|hit| hit["source"].as_str().unwrap().to_owned())
            .collect()
    };
    let confidential = "policies/salary-bands.md".to_owned();
    assert!(!sources(&[]).contains(&confidential));
    assert!(sources(&["--as-clearance", "2"]).contains(&confidential));
    assert!(!sources(&["--as-clearance", "9"]).contains(&"policies/travel-2021.md".to_owned()));
}

#[test]
fn export_and_import_are_a_round_trip() {
    let home = with_handbook();
    home.run(["ask", "What is the notice period?"]);
    home.run(["export", "all.jsonl"]).ended(0);
    home.run(["--db", "copy.db", "import", "all.jsonl"])
        .ended(0);
    home.run(["--db", "copy.db", "export", "again.jsonl"])
        .ended(0);
    let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    assert!(
        read("all.jsonl") == read("again.jsonl"),
        "the copies differ"
    );
    let found = |db: &[&str]| {
        let arguments = db
            .iter()
            .copied()
            .chain(["--json", "search", "travel approval"]);
        home.run(arguments).ended(0).json()["hits"].clone()
    };
    assert_eq!(
        found(&[])[0]["unit"],
        found(&["--db", "copy.db"])[0]["unit"]
    );
}

#[test]
fn a_conversation_persists_and_can_be_forgotten() {
    let home = with_handbook();
    let mut command = home.eerag(["chat", "--conversation", "Reise ✈"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut chat = command.spawn().unwrap();
    let lines = "\u{feff}How long is the journey that must be made by train?\r\n/why\r\n/quit\r\n";
    std::io::Write::write_all(chat.stdin.as_mut().unwrap(), lines.as_bytes()).unwrap();
    let output = chat.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && said.contains("offered:"),
        "{said}"
    );
    assert!(
        home.run(["conversations"])
            .ended(0)
            .out()
            .contains("Reise ✈")
    );
    home.run(["forget", "Reise ✈"]).ended(0);
    home.run(["conversations"]).ended(3);
}

#[test]
fn a_line_that_is_no_text_does_not_end_a_conversation() {
    let home = with_handbook();
    let mut command = home.eerag(["chat"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut chat = command.spawn().unwrap();
    let lines = b"caf\xe9 au lait?\n/why\n/quit\n";
    std::io::Write::write_all(chat.stdin.as_mut().unwrap(), lines).unwrap();
    let ran = Ran(chat.wait_with_output().unwrap()).ended(0);
    assert!(ran.err().contains("not UTF-8"), "{}", ran.err());
    assert!(ran.out().contains("no decision yet"), "{}", ran.out());
}

#[test]
fn removing_a_source_and_rebuilding_the_indexes() {
    let home = with_handbook();
    home.run(["remove", "glossary.md"]).ended(0);
    home.run(["remove", "glossary.md"]).ended(3);
    home.run(["reindex"]).ended(0);
    let hits = home
        .run(["--json", "search", "hydrograph glossary", "-k", "50"])
        .json();
    assert!(!hits.to_string().contains("\"glossary.md\""), "{hits}");
    assert!(home.run(["doctor"]).ended(0).out().contains("sound"));
}

#[test]
fn bad_input_is_a_reason_in_the_report_and_never_a_crash() {
    let home = Home::new();
    let folder = home.path().join("bad");
    fs::create_dir(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    write("empty.md", b"");
    write("binary.txt", &[0, 1, 2, 255, 254, 0, 7].repeat(100));
    write("word.txt", "x".repeat(10_000).as_bytes());
    write(
        "chinese.txt",
        "知识地图由单元组成。每个单元都有稳定的标识。"
            .repeat(40)
            .as_bytes(),
    );
    write(
        "mixed.md",
        b"\xef\xbb\xbf# Title\r\n\r\nOne line.\rAnother.\n\n```\n# no heading\n```\n",
    );
    write("table.md", b"| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n");
    write(
        "invalid.txt",
        b"valid start \xff\xfe\xfd and a valid end of the text, long enough to be text",
    );
    let utf16: Vec<u8> = "\u{feff}Grüße aus Köln"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    write("utf16.txt", &utf16);
    write("large.txt", &vec![b'a'; 50 << 20]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere.md", folder.join("dangling.md")).unwrap();
        std::os::unix::fs::symlink(".", folder.join("loop")).unwrap();
        let pipe = folder.join("pipe.txt");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(pipe)
                .status()
                .unwrap()
                .success()
        );
    }
    let report = home.run(["--json", "ingest", "bad"]).ended(0).json();
    let skipped = report["skipped"].to_string();
    for name in ["empty.md", "binary.txt", "large.txt"] {
        assert!(skipped.contains(name), "{name} is missing in {skipped}");
    }
    #[cfg(unix)]
    for name in ["dangling.md", "loop", "pipe.txt"] {
        assert!(skipped.contains(name), "{name} is missing in {skipped}");
    }
    assert_eq!(report["added"], 6, "{report}");
    let found = home.run(["--json", "search", "稳定的标识"]).ended(0).json();
    assert_eq!(found["hits"][0]["source"], "chinese.txt");
    home.run(["search", "?!… —"]).ended(3);
    assert!(
        home.run(["ingest", "missing"])
            .ended(1)
            .err()
            .contains("does not exist")
    );
}

#[test]
fn a_file_is_explained_and_nothing_is_stored() {
    let home = Home::new();
    let policy = workspace().join("fixtures/ingest/ok/handbook.md");
    std::fs::copy(policy, home.path().join("handbook.md")).unwrap();
    let shown = home
        .run(["ingest", "--explain", "handbook.md"])
        .ended(0)
        .out();
    assert!(shown.starts_with("handbook.md: "), "{shown}");
    assert!(shown.contains("domain finance.travel"), "{shown}");
    assert!(shown.contains("[0] "), "{shown}");
    let explained = home
        .run(["--json", "ingest", "--explain", "handbook.md"])
        .ended(0)
        .json();
    let units = explained["units"].as_array().unwrap();
    let tokens = |unit: &serde_json::Value| unit["tokens"].as_u64().unwrap();
    assert!(units.iter().all(|unit| (1..=256).contains(&tokens(unit))));
    assert_eq!(units[0]["governance"]["version"], "1.10");
    std::fs::write(home.path().join("empty.md"), "").unwrap();
    let skipped = home.run(["ingest", "--explain", "empty.md"]).ended(3).out();
    assert_eq!(skipped, "empty.md: skipped: empty\n");
    assert!(!home.path().join(".local").exists(), "no database");
}

#[test]
fn a_folder_that_lost_all_its_files_is_refused() {
    let home = Home::new();
    let notes = home.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    std::fs::write(notes.join("a.md"), "# A\n\nThe canteen opens at eight.\n").unwrap();
    home.run(["ingest", "notes"]).ended(0);
    std::fs::remove_file(notes.join("a.md")).unwrap();
    let refused = home.run(["ingest", "notes"]).ended(1).err();
    assert!(refused.contains("--prune-all"), "{refused}");
    home.run(["search", "canteen"]).ended(0);
    home.run(["ingest", "notes", "--prune-all"]).ended(0);
    home.run(["search", "canteen"]).ended(3);
}
