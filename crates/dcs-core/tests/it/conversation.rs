//! A conversation from registration to restart.

use std::sync::Arc;

use dcs_core::{
    BasicScorer, Conversation, ConversationConfig, DcsError, Decision, NewMessage,
    PatternClassifier, Query, Route, Strategy,
};
use jiff::{SignedDuration, Timestamp};

pub(crate) fn at(minutes: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
}

pub(crate) fn message(
    speaker: &'static str,
    text: &'static str,
    minutes: i64,
) -> NewMessage<'static> {
    NewMessage {
        speaker,
        text,
        at: at(minutes),
        tokens: 10,
        embedding: None,
    }
}

pub(crate) fn query(text: &str, max_messages: usize, max_tokens: u64) -> Query<'_> {
    Query {
        speaker: "user",
        text,
        at: at(1000),
        embedding: None,
        max_messages,
        max_tokens,
        found: &[],
    }
}

pub(crate) const TALK: [(&str, &str); 8] = [
    ("user", "How do I grow radishes in winter on a balcony?"),
    (
        "assistant",
        "Radishes grow in winter if the balcony soil stays above five degrees.",
    ),
    (
        "user",
        "The nginx proxy answers 502 after the kernel upgrade",
    ),
    (
        "assistant",
        "Check whether the nginx upstream socket survived the kernel upgrade.",
    ),
    ("user", "Do radishes on the balcony need fertiliser?"),
    (
        "assistant",
        "Radishes need little fertiliser; balcony soil with compost is enough.",
    ),
    ("user", "The nginx upstream socket has wrong permissions"),
    (
        "assistant",
        "Set the nginx socket group so that the proxy may read it.",
    ),
];

pub(crate) fn talk() -> Conversation {
    let mut conversation = Conversation::new(ConversationConfig::default()).unwrap();
    for (minutes, (speaker, text)) in TALK.into_iter().enumerate() {
        conversation
            .register(message(speaker, text, minutes as i64))
            .unwrap();
    }
    conversation
}

#[test]
fn two_interleaved_topics_become_two_lines_of_work() {
    let conversation = talk();
    let lines: Vec<u32> = conversation
        .history()
        .messages()
        .iter()
        .map(|m| m.key.dcns.first().unwrap().number())
        .collect();
    assert_eq!(lines[0], lines[1]);
    assert_eq!(lines[2], lines[3]);
    assert_ne!(lines[0], lines[2]);
    assert_eq!([lines[4], lines[6]], [lines[0], lines[2]], "{lines:?}");
}

#[test]
fn a_selection_prefers_the_line_of_work_that_is_continued() {
    let mut conversation = talk();
    let assembly = conversation
        .assemble(&query("And the nginx socket?", 4, 1000))
        .unwrap();
    assert_eq!(assembly.strategy, Strategy::Selective);
    let positions: Vec<u64> = assembly
        .messages
        .iter()
        .map(|m| m.message.position())
        .collect();
    assert_eq!(positions, [2, 3, 6, 7]);
    assert!(assembly.messages.iter().all(|m| !m.reasons.is_empty()));
    let logged = conversation.log().last_selection();
    assert_eq!(logged, Some(&assembly.decision));
    let entries = conversation.log().iter().len();
    let previewed = conversation.preview(&query("And the nginx socket?", 4, 1000));
    assert_eq!(previewed.unwrap(), assembly);
    assert_eq!(conversation.log().iter().len(), entries);
}

#[test]
fn everything_is_returned_when_it_fits() {
    let mut conversation = talk();
    let assembly = conversation.assemble(&query("anything", 8, 80)).unwrap();
    assert_eq!(
        (assembly.strategy, assembly.messages.len()),
        (Strategy::Full, 8)
    );
    let tight = conversation.assemble(&query("anything", 8, 79)).unwrap();
    assert_eq!(tight.strategy, Strategy::Selective);
}

#[test]
fn a_restored_conversation_decides_alike() {
    let mut original = talk();
    let state = serde_json::to_string(&original.state()).unwrap();
    let empty = Conversation::new(ConversationConfig::default()).unwrap();
    let mut restored = empty
        .restore(serde_json::from_str(&state).unwrap())
        .unwrap();
    let next = message("user", "Which soil for the radishes?", 60);
    assert_eq!(
        original.register(next).unwrap(),
        restored.register(next).unwrap()
    );
    let question = query("radish soil", 3, 1000);
    assert_eq!(
        original.assemble(&question).unwrap(),
        restored.assemble(&question).unwrap()
    );
}

#[test]
fn changes_taken_one_by_one_add_up_to_the_whole_state() {
    let mut conversation = Conversation::new(ConversationConfig::default()).unwrap();
    let mut stored = conversation.take_changes();
    for (minutes, (speaker, text)) in TALK.into_iter().enumerate() {
        conversation
            .register(message(speaker, text, minutes as i64))
            .unwrap();
        let changes = conversation.take_changes();
        assert!(
            changes.messages.len() <= 2,
            "an answer changes its question at most"
        );
        stored.apply(changes);
    }
    assert!(conversation.take_changes().is_empty());
    let empty = Conversation::new(ConversationConfig::default()).unwrap();
    let restored = empty.restore(stored).unwrap();
    assert_eq!(restored.state(), conversation.state());
}

#[test]
fn a_message_without_a_line_of_work_inherits_one() {
    let config = ConversationConfig::default();
    let scorer = Arc::new(BasicScorer::new(config.matching.clone()));
    let classifier = Arc::new(PatternClassifier::built_in().unwrap());
    let mut conversation = Conversation::with_parts(config, classifier, scorer).unwrap();
    let first = conversation
        .register(message("", "What does the database do?", 0))
        .unwrap();
    let second = conversation
        .register_linked(message("", "Implement the database cache", 1), &[])
        .unwrap();
    assert_eq!(second.decision.route, Route::Inherited);
    assert_eq!(second.key.dcns, first.key.dcns);
    let third = conversation
        .register_linked(message("", "🎉", 2), &[])
        .unwrap();
    assert_eq!(third.decision.route, Route::Unlinked);
}

#[test]
fn a_merge_can_be_replayed() {
    let config = ConversationConfig::default();
    let scorer = Arc::new(BasicScorer::new(config.matching.clone()));
    let classifier = Arc::new(PatternClassifier::built_in().unwrap());
    let mut conversation = Conversation::with_parts(config, classifier, scorer).unwrap();
    for minutes in 0..3 {
        conversation
            .register_new(message("", "Fix the database bug", minutes))
            .unwrap();
    }
    let mut replayed = conversation.clone();
    let merges = conversation.merge(at(10));
    assert_eq!(merges.len(), 2);
    assert!(
        conversation.merge(at(11)).is_empty(),
        "a second merge finds nothing"
    );
    for merge in &merges {
        replayed.replay_merge(merge).unwrap();
    }
    assert_eq!(replayed.state().messages, conversation.state().messages);
    assert_eq!(replayed.state().dcns, conversation.state().dcns);
}

#[test]
fn an_embedding_of_another_length_is_refused() {
    let mut conversation = talk();
    let mut next = message("user", "hello", 99);
    next.embedding = Some(&[0.5, 0.5]);
    conversation.register(next).unwrap();
    next.embedding = Some(&[1.0, 0.0, 0.0]);
    let refused = conversation.register(next);
    assert!(matches!(
        refused,
        Err(DcsError::Embedding {
            expected: 2,
            found: 3,
            ..
        })
    ));
    next.embedding = Some(&[f32::NAN, 0.0]);
    assert!(conversation.register(next).is_err());
    assert_eq!(conversation.history().len(), TALK.len() + 1);
}

#[test]
fn the_log_keeps_its_bound_and_survives_json() {
    let mut config = ConversationConfig::default();
    config.log.max_entries = 3;
    let mut conversation = Conversation::new(config).unwrap();
    for minutes in 0..9 {
        conversation
            .register(message("user", "The nginx socket again", minutes))
            .unwrap();
    }
    let entries: Vec<&Decision> = conversation.log().iter().collect();
    assert_eq!(entries.len(), 3);
    let json = serde_json::to_string(&entries).unwrap();
    let back: Vec<Decision> = serde_json::from_str(&json).unwrap();
    assert_eq!(back.iter().collect::<Vec<_>>(), entries);
}
