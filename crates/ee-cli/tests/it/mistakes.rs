//! What is mistyped is named, with what to do about it, and leaves nothing behind.

use std::fs;
use std::path::Path;

use crate::run::Home;

/// How many files and folders there are.
fn entries(folder: &Path) -> usize {
    folder.read_dir().unwrap().count()
}

#[test]
fn commands_that_read_make_no_database() {
    let home = Home::new();
    let commands: [&[&str]; 13] = [
        &["search", "x"],
        &["ask", "x"],
        &["chat"],
        &["audit", "--last"],
        &["show", "ab"],
        &["remove", "x.md"],
        &["context", "x"],
        &["conversations"],
        &["forget", "x"],
        &["export"],
        &["reembed"],
        &["reindex"],
        &["stats"],
    ];
    for command in commands {
        let typed = ["--db", "typo.db"].iter().chain(command).copied();
        let said = home.run(typed).ended(1).err();
        assert!(said.contains("no database typo.db"), "{command:?}: {said}");
        assert!(said.contains("eerag ingest"), "{command:?}: {said}");
        assert_eq!(entries(home.path()), 0, "{command:?}");
    }
    let said = home.run(["--db", "typo.db", "doctor"]);
    assert!(said.code() <= 1, "{}", said.err());
    assert_eq!(entries(home.path()), 0);
}

#[test]
fn a_folder_is_neither_a_database_nor_a_configuration() {
    let home = Home::new();
    fs::create_dir(home.path().join("notes")).unwrap();
    for command in ["stats", "import"] {
        let said = home.run([command, "--db", "notes"]).ended(1).err();
        assert!(said.contains("is a folder"), "{said}");
        assert!(said.contains("eerag.db"), "{said}");
    }
    let said = home.run(["config", "show", "--config", "notes"]).ended(1);
    assert!(said.err().contains("is a folder"), "{}", said.err());
    assert_eq!(entries(home.path()), 1);
    assert_eq!(entries(&home.path().join("notes")), 0);
}

#[test]
fn what_is_no_id_is_wrong_usage_and_an_id_that_fits_nothing_is_not_found() {
    let home = Home::with_empty_store();
    for command in [["show", "zz"], ["audit", "nosuch"]] {
        let said = home.run(command).ended(2).err();
        assert!(said.contains("hexadecimal"), "{said}");
    }
    home.run(["show", "[ab12]"]).ended(3);
    home.run(["audit", "[RAG:a3f9b2c1]"]).ended(3);
}

#[test]
fn a_conversation_needs_a_name_and_a_log_a_length() {
    let home = Home::new();
    for command in [vec!["chat"], vec!["context"], vec!["ask", "x"]] {
        let typed = command.into_iter().chain(["--conversation", " "]);
        let said = home.run(typed).ended(2).err();
        assert!(said.contains("expected a name"), "{said}");
    }
    let said = home.run(["context", "--log", "0"]).ended(2).err();
    assert!(said.contains("from 1 on"), "{said}");
}

/// What `eerag config show` says in this home, with these variables and flags.
fn blamed(home: &Home, variable: Option<(&str, &str)>, flags: &[&str], code: i32) -> String {
    let mut command = home.eerag(["config", "show"]);
    let output = command.args(flags).envs(variable).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

#[test]
fn a_wrong_setting_is_named_with_the_place_where_it_is_set() {
    let home = Home::new();
    let unknown = [("turn.top_kk", "turn.top_k"), ("serch.fusion", "search")];
    for (typed, meant) in unknown {
        let flag = format!("{typed}=3");
        let said = blamed(&home, None, &["--set", &flag], 2);
        assert!(said.contains("--set"), "{said}");
        let suggestion = format!("did you mean `{meant}`");
        assert!(said.contains(&suggestion), "{said}");
    }
    let variable = ("EERAG__TURN__TOP_KK", "3");
    let said = blamed(&home, Some(variable), &[], 1);
    assert!(said.contains("EERAG__TURN__TOP_KK"), "{said}");
    let variable = ("EERAG__SEARCH__DENSE_WEIGHT", "3");
    let said = blamed(&home, Some(variable), &[], 1);
    assert!(said.contains("(EERAG__SEARCH__DENSE_WEIGHT)"), "{said}");
    let said = blamed(&home, None, &["--set", "turn.top_k=many"], 2);
    assert!(said.contains("whole number"), "{said}");
    assert!(said.contains("--set turn.top_k=many"), "{said}");
    let file = home.path().join("eerag.toml");
    fs::write(&file, "[openai]\nbase_url = \"example\"\n").unwrap();
    let said = blamed(&home, None, &[], 1);
    assert!(said.contains("openai.base_url: eerag.toml"), "{said}");
    fs::write(&file, "[turn\n").unwrap();
    let said = blamed(&home, None, &[], 1);
    assert!(said.contains("eerag.toml"), "{said}");
}

#[test]
fn doctor_says_what_mends_broken_settings_and_an_unknown_model() {
    let home = Home::new();
    let flags = ["doctor", "--set", "embed.model=all-MiniLM"];
    let said = home.run(flags).ended(1).out();
    assert!(said.contains("set `embed.model` to one of"), "{said}");
    assert!(!said.contains("eerag models fetch"), "{said}");
    fs::write(home.path().join("eerag.toml"), "[turn]\ntop_k = 0\n").unwrap();
    let said = home.run(["doctor"]).ended(1).out();
    assert!(said.contains("BROKEN settings"), "{said}");
    assert!(said.contains("turn.top_k"), "{said}");
    assert!(said.contains("(eerag.toml)"), "{said}");
    assert!(said.contains("eerag config reference"), "{said}");
    home.run(["config", "reference"]).ended(0);
}
