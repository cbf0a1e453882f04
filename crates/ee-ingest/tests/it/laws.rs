//! What holds for every input.

use std::collections::HashSet;

use ee_ingest::{ParsedSource, TokenCounter, embedding_text};
use km_core::canonical;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{Pieces, span, try_parse};

/// Names of all formats; without its feature a format is plain text or skipped.
const NAMES: [&str; 20] = [
    "a.md", "a.txt", "a.rs", "a.csv", "a.tsv", "a.json", "a.jsonl", "a", "a.log", "a.html", "a.py",
    "a.js", "a.ts", "a.tsx", "a.go", "a.java", "a.c", "a.cpp", "a.pdf", "a.docx",
];

/// A block of Markdown whose words are letters alone.
fn block() -> impl Strategy<Value = String> {
    let words = |range| vec("[a-zäü水泵]{1,9}", range).prop_map(|words| words.join(" "));
    prop_oneof![
        words(1..40).prop_map(|text| format!("{text}.")),
        words(1..6).prop_map(|text| format!("## {text}")),
        vec(words(1..8), 1..6).prop_map(|items| format!("- {}", items.join("\n- "))),
        vec(words(1..8), 1..6).prop_map(|items| format!("1. {}", items.join("\n2. "))),
        vec(words(1..3), 2..9)
            .prop_map(|rows| format!("| x | y |\n|---|---|\n| {} |", rows.join(" | z |\n| "))),
        words(1..30).prop_map(|text| format!("```\n{text}\n```")),
        words(1..20).prop_map(|text| format!("> {text}")),
    ]
}

fn markdown() -> impl Strategy<Value = String> {
    (
        vec(block(), 1..12),
        prop_oneof![Just("\n\n"), Just("\r\n\r\n")],
    )
        .prop_map(|(blocks, gap)| blocks.join(gap))
}

/// Runs of letters, and single characters of scripts that are cut without spaces.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_alphabetic());
    let single = |c: char| c > '\u{2e80}';
    runs.flat_map(move |run| run.split_inclusive(single))
        .flat_map(move |run| {
            let at = run.find(single).unwrap_or(run.len());
            [&run[..at], &run[at..]]
        })
        .filter(|word| !word.is_empty())
}

pub(crate) fn check(
    parsed: &ParsedSource,
    bytes: &[u8],
    max_tokens: usize,
) -> Result<(), TestCaseError> {
    let counter = Pieces { max_tokens };
    let ids: HashSet<_> = parsed.units.iter().map(|unit| unit.id).collect();
    prop_assert_eq!(ids.len(), parsed.units.len());
    for unit in &parsed.units {
        prop_assert!(
            counter.count(&embedding_text(unit, &counter)) <= max_tokens,
            "{:?}",
            unit
        );
        prop_assert!(!unit.content.trim().is_empty());
        prop_assert!(!unit.summary.trim().is_empty());
        let again = canonical(&unit.content);
        prop_assert_eq!(again.as_str(), unit.content.as_str());
        if let Some(place) = unit.metadata.span {
            prop_assert!(place.start < place.end && place.end <= bytes.len() as u64);
        }
        prop_assert!(unit.links.iter().all(|link| ids.contains(&link.target)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_word_of_a_text_is_lost(text in markdown(), max_tokens in 24usize..200) {
        for name in ["a.md", "a.txt"] {
            let parsed = try_parse(name, text.as_bytes(), max_tokens).unwrap();
            check(&parsed, text.as_bytes(), max_tokens)?;
            let mut kept = String::new();
            for unit in &parsed.units {
                kept.push_str(&unit.content);
                kept.push('\n');
                kept.push_str(&unit.metadata.section_path.join("\n"));
                kept.push('\n');
            }
            let kept: HashSet<&str> = words(&kept).collect();
            for word in words(&text) {
                prop_assert!(kept.contains(word), "{name}: {word:?} of {text:?} in {kept:?}");
            }
        }
    }

    #[test]
    fn spans_hold_the_words_of_their_units(text in markdown(), max_tokens in 24usize..200) {
        for name in ["a.md", "a.txt"] {
            let parsed = try_parse(name, text.as_bytes(), max_tokens).unwrap();
            for unit in &parsed.units {
                let place = canonical(std::str::from_utf8(span(unit, text.as_bytes())).unwrap());
                let there: HashSet<&str> = words(place.as_str()).collect();
                for word in words(&unit.content) {
                    // A table's header is repeated where it does not stand.
                    prop_assert!(there.contains(word) || word == "x" || word == "y", "{word:?} {unit:?}");
                }
            }
        }
    }

    #[test]
    fn parsing_is_deterministic(text in markdown()) {
        prop_assert_eq!(try_parse("a.md", text.as_bytes(), 64), try_parse("a.md", text.as_bytes(), 64));
    }

    #[test]
    fn no_bytes_make_a_parser_fall(bytes in vec(any::<u8>(), 0..400)) {
        for name in NAMES {
            if let Ok(parsed) = try_parse(name, &bytes, 32) {
                check(&parsed, &bytes, 32)?;
            }
        }
    }

    #[test]
    fn no_text_makes_a_parser_fall(text in "([-#|`>*:{}\\[\\]\",\n\r\t 1.a-c水é\u{301}\u{feff}]|<br>|</?b>|---\n|: |\\PC){0,160}") {
        for name in NAMES {
            if let Ok(parsed) = try_parse(name, text.as_bytes(), 32) {
                check(&parsed, text.as_bytes(), 32)?;
            }
        }
    }
}

#[test]
fn a_list_mark_stays_with_its_text_when_the_item_is_cut() {
    let text = "1. 泵水泵ü ü水泵泵泵a泵 水a泵ä水ü ä 水a水a";
    let parsed = try_parse("a.md", text.as_bytes(), 24).unwrap();
    check(&parsed, text.as_bytes(), 24).unwrap();
    assert!(parsed.units.first().unwrap().content.starts_with("1. 泵"));
}

#[test]
fn a_stray_mark_is_no_unit() {
    let text = "{---\n---\n\u{feff}";
    let parsed = try_parse("a.md", text.as_bytes(), 128).unwrap();
    check(&parsed, text.as_bytes(), 128).unwrap();
}
