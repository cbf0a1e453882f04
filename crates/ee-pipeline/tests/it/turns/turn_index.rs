//! Search among a conversation's own turns.

use ee_embed::{Embedder, LexicalEmbedder};
use ee_index::IndexConfig;
use ee_pipeline::{IndexedTurn, MemoryConfig, SearchSystem, TurnHit, TurnIndex};
use km_core::Timestamp;
use proptest::prelude::*;

const HOUR: i64 = 3_600_000;

fn embed(text: &str) -> Vec<f32> {
    let embedder = LexicalEmbedder::new(128);
    embedder.embed_query(text).unwrap().vector
}

/// An index of turns said by two people in turn, at the hours given.
fn index(turns: &[(&str, i64)], config: MemoryConfig) -> TurnIndex {
    let mut index = TurnIndex::new(128, config, &IndexConfig::default()).unwrap();
    for (position, (text, hour)) in turns.iter().enumerate() {
        let vector = embed(text);
        let turn = IndexedTurn {
            speaker: if position % 2 == 0 { "Ada" } else { "Bo" },
            text,
            at: Timestamp::from_millisecond(hour * HOUR).unwrap(),
            vector: &vector,
        };
        index.push(turn).unwrap();
    }
    index
}

fn search(index: &TurnIndex, question: &str, k: usize) -> Vec<TurnHit> {
    let vector = embed(question);
    index
        .search(question, &vector, SearchSystem::Hybrid, k)
        .unwrap()
}

fn first(index: &TurnIndex, question: &str) -> u64 {
    search(index, question, 1)[0].position
}

const TALK: [(&str, i64); 6] = [
    ("Where did you spend the holidays?", 0),
    ("By the sea, three weeks!", 0),
    ("And work?", 0),
    ("The new printer is broken again.", 30),
    ("Which printer, the one on the second floor?", 30),
    ("Yes.", 30),
];

#[test]
fn a_short_answer_is_found_with_the_question_before_it() {
    let index = index(&TALK, MemoryConfig::default());
    let hits = search(&index, "Where were the holidays spent?", 3);
    let positions: Vec<u64> = hits.iter().map(|hit| hit.position).collect();
    assert_eq!(positions[0], 0);
    assert!(positions.contains(&1), "{positions:?}");
    let answer = |config| {
        let hits = search(&self::index(&TALK, config), "Which printer is broken?", 9);
        hits.iter()
            .find(|hit| hit.position == 5)
            .map_or(0.0, |hit| hit.score)
    };
    let alone = MemoryConfig {
        neighbour_weight: 0.0,
        second_neighbour_weight: 0.0,
        session_weight: 0.0,
        window_weight: 0.0,
        ..MemoryConfig::default()
    };
    assert!(
        answer(MemoryConfig::default()) > answer(alone),
        "\"Yes.\" says nothing by itself"
    );
}

#[test]
fn the_speaker_that_a_question_names_counts() {
    let turns = [
        ("I bought a red bicycle.", 0),
        ("I bought a red bicycle too.", 0),
    ];
    let index = index(&turns, MemoryConfig::default());
    assert_eq!(first(&index, "What did Ada buy, a red bicycle?"), 0);
    assert_eq!(first(&index, "What did Bo buy, a red bicycle?"), 1);
}

#[test]
fn a_session_about_the_question_lifts_its_turns() {
    let turns = [
        ("Good morning", 0),
        ("tea or coffee", 0),
        ("The Rust migration begins", 48),
        ("good morning", 48),
        ("The Rust migration ends", 48),
    ];
    let config = MemoryConfig {
        neighbour_weight: 0.0,
        second_neighbour_weight: 0.0,
        speaker_weight: 0.0,
        ..MemoryConfig::default()
    };
    let index = index(&turns, config);
    let hits = search(&index, "Rust migration morning", 9);
    let rank = |position| hits.iter().position(|hit| hit.position == position);
    assert!(rank(3) < rank(0), "{hits:?}");
}

#[test]
fn chinese_german_and_emoji_are_found_and_odd_questions_find_nothing_or_something() {
    let turns = [
        ("我们的猫叫小白。", 0),
        ("Die Überweisung fehlt 💶", 0),
        ("", 0),
    ];
    let index = index(&turns, MemoryConfig::default());
    assert_eq!(first(&index, "猫叫什么名字？"), 0);
    assert_eq!(first(&index, "UBERWEISUNG"), 1);
    for question in ["", "?!", "💶", "\u{feff}", "x"] {
        assert!(search(&index, question, 9).len() <= 3);
    }
    let empty = self::index(&[], MemoryConfig::default());
    assert!(search(&empty, "anything", 9).is_empty());
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let wrong = MemoryConfig {
        session_gap_hours: 0.0,
        ..MemoryConfig::default()
    };
    let refused = TurnIndex::new(8, wrong, &IndexConfig::default())
        .err()
        .unwrap();
    assert!(refused.to_string().contains("memory.session_gap_hours"));
}

proptest! {
    #[test]
    fn scores_lie_in_0_to_1_best_first_without_repeats(
        texts in prop::collection::vec("[a-f 猫ü]{0,12}", 0..30),
        question in "[a-f 猫ü]{0,12}",
        k in 0_usize..40,
    ) {
        let turns: Vec<(&str, i64)> = texts.iter().map(String::as_str).zip(0..).collect();
        let index = index(&turns, MemoryConfig::default());
        let hits = search(&index, &question, k);
        prop_assert!(hits.len() <= k.min(texts.len()));
        prop_assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{hits:?}");
        prop_assert!(hits.is_sorted_by(|a, b| (a.score, b.position) >= (b.score, a.position)));
        let distinct: std::collections::BTreeSet<u64> = hits.iter().map(|hit| hit.position).collect();
        prop_assert_eq!(distinct.len(), hits.len());
    }
}
