//! Windows, sizes and settings.

use ee_ingest::{
    IngestConfig, IngestError, Relations, SkipReason, SourceInput, TokenCounter, embedding_text,
    parse_source, read_source,
};
use km_core::{Governance, SourceId};

use crate::support::{Pieces, try_parse};

#[test]
fn a_word_of_ten_thousand_letters_makes_progress() {
    for name in ["a.md", "a.txt", "a.rs", "a.csv"] {
        let parsed = try_parse(name, "a".repeat(10_000).as_bytes(), 64).unwrap();
        let letters: usize = parsed
            .units
            .iter()
            .map(|unit| unit.content.matches('a').count())
            .sum();
        assert!(letters >= 10_000, "{name}: {letters}");
    }
}

#[test]
fn a_tokenizer_that_takes_any_word_for_one_token_does_not_let_it_pass_whole() {
    struct Words;
    impl TokenCounter for Words {
        fn count(&self, text: &str) -> usize {
            text.split_whitespace().count() + 2
        }
        fn max_tokens(&self) -> usize {
            64
        }
    }
    let input = SourceInput {
        source: SourceId::new("a.md"),
        bytes: "a".repeat(10_000).into_bytes(),
        governance: Governance::default(),
        relations: Relations::default(),
    };
    let parsed = parse_source(&input, &IngestConfig::default(), &Words)
        .unwrap()
        .unwrap();
    assert!(
        parsed
            .units
            .iter()
            .all(|unit| unit.content.len() <= 64 * 16)
    );
}

#[test]
fn headings_and_content_fit_the_window_together() {
    let heading = "A very long heading that goes on and on about pumps and tanks";
    let body = "The pump stops after an hour. ".repeat(100);
    let text = format!("# {heading}\n\n## {heading} again\n\n### {heading} still\n\n{body}");
    let parsed = try_parse("a.md", text.as_bytes(), 32).unwrap();
    let counter = Pieces { max_tokens: 32 };
    for unit in &parsed.units {
        assert!(
            counter.count(&embedding_text(unit, &counter)) <= 32,
            "{unit:?}"
        );
    }
}

#[test]
fn a_file_over_the_limit_is_skipped_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.txt");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(50 * 1024 * 1024).unwrap();
    let config = IngestConfig::default();
    let skipped = read_source(
        &path,
        SourceId::new("big.txt"),
        Governance::default(),
        &config,
    );
    let expected = SkipReason::TooLarge {
        bytes: 50 * 1024 * 1024,
        limit: 16 * 1024 * 1024,
    };
    assert_eq!(skipped.err(), Some(expected));
}

#[test]
fn a_file_that_is_gone_is_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    let config = IngestConfig::default();
    let skipped = read_source(
        &folder.path().join("no.md"),
        SourceId::new("no.md"),
        Governance::default(),
        &config,
    );
    assert!(matches!(skipped, Err(SkipReason::Unreadable { .. })));
}

#[test]
fn settings_out_of_range_are_named() {
    let wrong = [
        (
            IngestConfig {
                words_per_piece: 0,
                ..IngestConfig::default()
            },
            "ingest.words_per_piece",
        ),
        (
            IngestConfig {
                overlap_percent: 91,
                ..IngestConfig::default()
            },
            "ingest.overlap_percent",
        ),
        (
            IngestConfig {
                max_file_bytes: 0,
                ..IngestConfig::default()
            },
            "ingest.max_file_bytes",
        ),
        (
            IngestConfig {
                summary_tokens: 4,
                ..IngestConfig::default()
            },
            "ingest.summary_tokens",
        ),
    ];
    for (config, name) in wrong {
        let IngestError::Setting { setting, .. } = config.validate().unwrap_err() else {
            panic!("{name}")
        };
        assert_eq!(setting, name);
    }
    assert!(IngestConfig::default().validate().is_ok());
}

/// Repetition that makes a careless parser take quadratic time or exhaust its stack.
#[test]
fn deep_nesting_and_repetition_end_quickly() {
    let nested = |opening: &str| opening.repeat(200_000);
    let glossary = "# Terms\n\n- **Gauge**: a board with a scale that a person reads.\n\n";
    let start = std::time::Instant::now();
    for (name, text) in [
        ("a.md", nested("- ")),
        ("a.md", nested("> ")),
        ("a.md", nested("[")),
        ("a.md", nested("*a ")),
        ("a.md", nested("<div>\n<script>\n")),
        ("a.md", nested("|")),
        ("a.md", glossary.repeat(5_000)),
        ("a.md", format!("---\na: {}\n---\nText.", nested("["))),
        ("a.md", format!("---\na: {}\n---\nText.", nested("{a: "))),
        ("a.json", nested("[")),
        ("a.jsonl", nested("{\"a\":")),
        ("a.csv", nested("\"")),
        ("a.rs", nested("{\n")),
    ] {
        let _ = try_parse(name, text.as_bytes(), 64);
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn signs_of_html_that_start_no_tag_are_text() {
    let parsed = try_parse(
        "a.md",
        b"<div>one < two\n<b>three</b> <!-- no --> five</div>\n",
        64,
    );
    let content = &parsed.unwrap().units[0].content;
    assert!(
        content.contains("one < two") && content.contains("three"),
        "{content}"
    );
    assert!(!content.contains("no --"), "{content}");
}
