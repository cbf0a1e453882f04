//! What works without a model: help, settings, errors, exit codes.

use crate::run::Home;

#[test]
fn help_names_every_command() {
    let help = Home::new().run(["help"]).ended(0).out();
    for command in [
        "ingest",
        "search",
        "ask",
        "chat",
        "audit",
        "show",
        "remove",
        "conversations",
        "forget",
        "eval",
        "export",
        "import",
        "models",
        "reembed",
        "reindex",
        "stats",
        "doctor",
        "config",
        "completions",
    ] {
        assert!(help.contains(command), "{command} is missing in:\n{help}");
    }
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_wrong() {
    let home = Home::new();
    assert!(home.run(["ingest"]).ended(2).err().contains("PATH"));
    assert!(home.run(["nonsense"]).ended(2).err().contains("nonsense"));
    let wrong = home
        .run(["search", "x", "--as-attribute", "region"])
        .ended(2)
        .err();
    assert!(wrong.contains("NAME=VALUE"), "{wrong}");
    let wrong = home
        .run(["search", "x", "--at", "yesterday"])
        .ended(2)
        .err();
    assert!(wrong.contains("RFC 3339"), "{wrong}");
}

#[test]
fn ingest_says_what_is_wrong_with_its_flags() {
    let home = Home::new();
    let tier = home.run(["ingest", ".", "--authority", "0"]).ended(2).err();
    assert!(tier.contains("a whole number from 1 on"), "{tier}");
    let folder = home.run(["ingest", "--explain", "."]).ended(2).err();
    assert!(folder.contains("takes one file"), "{folder}");
    let both = home
        .run(["ingest", ".", "--explain", "a.md"])
        .ended(2)
        .err();
    assert!(both.contains("--explain"), "{both}");
    let missing = home.run(["ingest", "--explain", "a.md"]).ended(1).err();
    assert!(missing.contains("a.md does not exist"), "{missing}");
}

#[test]
fn settings_are_layered_and_checked() {
    let home = Home::new();
    let config = home.path().join(".config/eerag");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(
        config.join("config.toml"),
        "[turn]\ntop_k = 3\n[search]\ncandidates = 50\n",
    )
    .unwrap();
    std::fs::write(home.path().join("eerag.toml"), "[turn]\ntop_k = 4\n").unwrap();
    let shown = home.run(["config", "show"]).ended(0).out();
    assert!(
        shown.contains("top_k = 4") && shown.contains("candidates = 50"),
        "{shown}"
    );
    let mut command = home.eerag(["config", "show", "--set", "search.dense_weight=0.25"]);
    let output = command.env("EERAG__TURN__TOP_K", "7").output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("top_k = 7") && shown.contains("dense_weight = 0.25"),
        "{shown}"
    );
}

#[test]
fn a_bad_setting_is_named() {
    let home = Home::new();
    let unknown = home
        .run(["config", "show", "--set", "turn.top_kk=3"])
        .ended(2)
        .err();
    assert!(unknown.contains("top_kk"), "{unknown}");
    let range = home
        .run(["config", "show", "--set", "search.dense_weight=3"])
        .ended(2)
        .err();
    assert!(
        range.contains("search.dense_weight") && range.contains("from 0 to 1"),
        "{range}"
    );
    let none = home.run(["search", "anything", "-k", "0"]).ended(2).err();
    assert!(none.contains("from 1 on"), "{none}");
    let missing = home
        .run(["config", "show", "--config", "nowhere.toml"])
        .ended(1)
        .err();
    assert!(missing.contains("nowhere.toml"), "{missing}");
}

#[test]
fn what_is_shown_can_be_read_back() {
    let home = Home::new();
    let shown = home.run(["config", "show"]).ended(0).out();
    std::fs::write(home.path().join("again.toml"), &shown).unwrap();
    let again = home
        .run(["config", "show", "--config", "again.toml"])
        .ended(0)
        .out();
    assert_eq!(shown, again);
}

#[test]
fn completions_are_scripts() {
    assert!(
        Home::new()
            .run(["completions", "bash"])
            .ended(0)
            .out()
            .contains("complete -F")
    );
}

#[test]
fn an_empty_store_has_statistics_and_no_conversations() {
    let home = Home::with_empty_store();
    assert!(home.run(["stats"]).ended(0).out().contains("units:"));
    assert!(
        home.run(["conversations"])
            .ended(3)
            .out()
            .contains("no conversations")
    );
    assert!(
        home.run(["audit", "--last"])
            .ended(3)
            .out()
            .contains("no turn")
    );
    assert!(
        home.run(["forget", "nothing"])
            .ended(3)
            .out()
            .contains("no conversation")
    );
}

#[test]
fn a_missing_model_says_which_command_brings_it() {
    let home = Home::with_empty_store();
    let mut command = home.eerag(["search", "x"]);
    let output = command
        .env("EERAG_MODELS", home.path().join("none"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("eerag models fetch"), "{said}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let home = Home::new();
    let file = home.path().join("notes.db");
    std::fs::write(&file, "these are my notes, not a database").unwrap();
    let refused = home.run(["stats", "--db", "notes.db"]).ended(1).err();
    assert!(refused.contains("notes.db"), "{refused}");
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        "these are my notes, not a database"
    );
}
