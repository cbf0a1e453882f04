//! A folder with everything that can be wrong with files, and good ones among it.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use ee_pipeline::SearchSystem;

use crate::support::{Place, assert_in_step, found};

const GOOD: usize = 100;

#[test]
fn good_files_go_in_and_bad_ones_are_reported() {
    let place = Place::new();
    for number in 0..GOOD {
        let text = format!("# Page {number}\n\nThe word{number} stands here.\n");
        place.write(&format!("good/{number:03}.md"), text);
    }
    let mut right = right_inputs(&place);
    let mut wrong = wrong_inputs(&place);
    let base = place.base();
    let report = place.ingest(&base);
    assert_eq!(report.added, GOOD + right.len(), "{report:#?}");
    let mut skipped: Vec<String> = report
        .skipped
        .iter()
        .map(|skipped| {
            skipped
                .path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    skipped.sort();
    wrong.sort_unstable();
    assert_eq!(skipped, wrong, "{report:#?}");
    right.sort_unstable();
    let names: Vec<String> = place
        .content()
        .into_values()
        .map(|(source, ..)| source.as_str().to_owned())
        .collect();
    assert!(right.iter().all(|name| names.contains(&(*name).to_owned())));
    assert_eq!(found(&base, "word42", SearchSystem::Bm25), ["good/042.md"]);
    assert_eq!(
        found(&base, "退款政策", SearchSystem::Bm25)[0],
        "chinese.md"
    );
    assert_eq!(found(&base, "sechzehn", SearchSystem::Bm25)[0], "utf16.txt");
    assert_in_step(&place, &base);
    let again = place.ingest(&base);
    assert_eq!(
        (again.unchanged, again.added, again.removed),
        (GOOD + right.len(), 0, 0)
    );
}

/// Odd files that are right all the same.
fn right_inputs(place: &Place) -> Vec<&'static str> {
    let files: [(&str, Vec<u8>); 9] = [
        ("long-word.txt", "x".repeat(10_000).into_bytes()),
        (
            "chinese.md",
            "# 退款\n\n退款政策适用于所有顾客。退款在十四天内办理。\n".into(),
        ),
        (
            "mixed-ends.md",
            b"# Ends\r\n\r\nOne line.\rAnother.\nThird.\r\n".to_vec(),
        ),
        ("mark.md", "\u{feff}# Marked\n\nText after a mark.\n".into()),
        (
            "fence.md",
            "# Code\n\n```sh\n# not a heading\nls\n```\n".into(),
        ),
        (
            "table.md",
            "# T\n\n| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n".into(),
        ),
        (
            "invalid.txt",
            b"Valid, then \xff\xfe\xff invalid bytes within a sentence.".to_vec(),
        ),
        (
            "emoji.md",
            "# 🚀 Start\n\nWir 🎉 feiern Größe und Übermut.\n".into(),
        ),
        (
            "utf16.txt",
            utf16("Sechzehn Bits je Zeichen, mit Umlauten: äöü."),
        ),
    ];
    for (name, bytes) in &files {
        place.write(name, bytes);
    }
    files.iter().map(|(name, _)| *name).collect()
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// What cannot become units.
fn wrong_inputs(place: &Place) -> Vec<&'static str> {
    place.write("empty.md", "");
    place.write("blank.txt", " \n\t\n");
    place.write("binary.bin", [0_u8, 159, 146, 150, 0, 0, 7].repeat(100));
    let huge = fs::File::create(place.documents().join("huge.txt")).expect("a file");
    huge.set_len(50 * 1024 * 1024).expect("50 MiB");
    let pipe = place.documents().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo")
            .success()
    );
    symlink("nowhere", place.documents().join("dangling.md")).expect("a link");
    symlink("..", place.documents().join("good/loop")).expect("a link");
    vec![
        "empty.md",
        "blank.txt",
        "binary.bin",
        "huge.txt",
        "pipe",
        "dangling.md",
        "loop",
    ]
}

#[test]
fn a_query_of_punctuation_finds_nothing() {
    let place = Place::new();
    place.write("tokens.md", "# Tokens\n\nTokens expire.\n");
    let base = place.base();
    place.ingest(&base);
    for query in ["", "   ", "?!…", "\"(*&& -:", "\u{feff}", "🚀"] {
        for system in [
            SearchSystem::Bm25,
            SearchSystem::Dense,
            SearchSystem::Hybrid,
        ] {
            assert!(found(&base, query, system).is_empty(), "{query:?}");
        }
    }
    assert_eq!(
        found(&base, "\"tokens\" (AND) -expire: ^~*", SearchSystem::Hybrid).len(),
        1
    );
}
