//! The pattern classifier on text of many kinds.

use dcs_core::{Classifier, DcsError, DomainId, Intent, PatternClassifier, PatternFile};

fn labels(text: &str) -> (Vec<Intent>, Vec<DomainId>) {
    let labels = PatternClassifier::built_in().unwrap().classify(text);
    (
        labels.intents.into_iter().collect(),
        labels.domains.into_iter().collect(),
    )
}

#[test]
fn three_languages_get_the_same_treatment() {
    for text in [
        "Please fix the bug in the database query",
        "Bitte den Fehler in der Datenbank beheben",
        "请修复数据库的故障",
    ] {
        let (intents, domains) = labels(text);
        assert!(intents.contains(&Intent::Fix), "{text}: {intents:?}");
        assert!(
            intents.contains(&Intent::Instruction),
            "{text}: {intents:?}"
        );
        assert!(domains.contains(&DomainId::BACKEND), "{text}: {domains:?}");
    }
}

#[test]
fn a_pattern_never_matches_inside_a_word() {
    let (intents, domains) = labels("Prefixes and suffixes, rebuild of suites, debugfish");
    assert!(!intents.contains(&Intent::Fix), "{intents:?}");
    assert!(domains.is_empty(), "{domains:?}");
    assert!(labels("Großfehlerhaft ist kein Wort").1.is_empty());
}

#[test]
fn what_has_no_pattern_is_chat() {
    for text in ["", "🎉🎉", "Доброе утро, коллеги", "\u{feff}\r\n\r\n"] {
        assert_eq!(labels(text), (vec![Intent::Chat], vec![]), "{text:?}");
    }
}

#[test]
fn chat_stands_only_where_nothing_else_does() {
    assert_eq!(labels("Thanks, see you tomorrow!").0, [Intent::Chat]);
    assert_eq!(
        labels("Thanks! Please rename the file").0,
        [Intent::Instruction]
    );
}

#[test]
fn a_request_in_the_form_of_a_question_is_no_question() {
    for text in [
        "Can you rename the file?",
        "Kannst du die Datei umbenennen?",
        "能不能帮我改一下文件名？",
    ] {
        assert_eq!(labels(text).0, [Intent::Instruction], "{text}");
    }
    assert_eq!(
        labels("Can you explain the file format?").0,
        [Intent::Query]
    );
}

#[test]
fn marks_of_patterns_do_what_they_say() {
    let file = PatternFile::parse(
        r#"
        language = "en"
        [groups]
        verb = ["bring", "put"]
        [intents]
        FIX = ["^<verb> ... back", "!bring ... never back", "crash*", "*fault"]
        [cues]
        opening = ["then"]
        "#,
    );
    let classifier = PatternClassifier::new(&[file.unwrap()]).unwrap();
    let is_fix = |text: &str| classifier.classify(text).intents.contains(&Intent::Fix);
    for text in [
        "Bring the old menu back",
        "well, then put it back",
        "It crashes. Segfault!",
        "a pagefault",
    ] {
        assert!(is_fix(text), "{text}");
    }
    for text in [
        "They bring it back",
        "Bring it. Back up the files",
        "back, bring it",
        "bring it never back",
        "faulty",
    ] {
        assert!(!is_fix(text), "{text}");
    }
}

#[test]
fn users_add_domains_of_their_own() {
    let own = PatternFile::parse(
        "language = \"en\"\n[domains]\nLEGAL = [\"contract\", \"licen*\"]\n[codes]\nLEGAL = 100\n",
    );
    let mut files = PatternFile::built_in().unwrap();
    files.push(own.unwrap());
    let classifier = PatternClassifier::new(&files).unwrap();
    let found = classifier.classify("Which licences does the contract name?");
    assert!(found.domains.contains(&DomainId::new(100)));
}

#[test]
fn bad_pattern_files_name_the_entry() {
    let compile = |toml: &str| PatternFile::parse(toml).and_then(|f| PatternClassifier::new(&[f]));
    let taken = compile("language = \"en\"\n[codes]\nLEGAL = 7\n");
    assert!(matches!(taken, Err(DcsError::Domain { code: 7, .. })));
    let unknown = compile("language = \"en\"\n[domains]\nLEGAL = [\"contract\"]\n");
    assert!(matches!(unknown, Err(DcsError::Domain { .. })));
    let star = compile("language = \"en\"\n[intents]\nFIX = [\"b*g\"]\n");
    assert!(matches!(star, Err(DcsError::Pattern { .. })));
    let group = compile("language = \"en\"\n[intents]\nFIX = [\"<verb>\"]\n");
    assert!(matches!(group, Err(DcsError::Pattern { .. })));
    let intent = compile("language = \"en\"\n[intents]\nfix = [\"bug\"]\n");
    assert!(matches!(intent, Err(DcsError::Pattern { .. })));
}
