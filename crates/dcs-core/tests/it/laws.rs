//! Laws that hold for any input.

use std::collections::BTreeSet;

use dcs_core::{
    Conversation, ConversationConfig, DcnId, DcsKey, DomainId, Intent, KeyWeights, MessageId,
    NewMessage, Query, jaccard,
};
use proptest::prelude::*;

use crate::conversation::at;

fn key() -> impl Strategy<Value = DcsKey> {
    let intents = prop::collection::btree_set(prop::sample::select(Intent::ALL.to_vec()), 0..4);
    let domains = prop::collection::btree_set((1_u32..200).prop_map(DomainId::new), 0..4);
    let dcns = prop::collection::btree_set((1_u32..50).prop_map(DcnId::new), 0..4);
    (intents, domains, dcns).prop_map(|(intents, domains, dcns)| DcsKey {
        intents,
        domains,
        dcns,
    })
}

/// A message as (speaker, text, minutes, tokens).
fn messages() -> impl Strategy<Value = Vec<(u8, String, i64, u32)>> {
    let text = prop_oneof![
        "\\PC{0,40}",
        "(fix|design|database|radish|nginx|数据库|Fehler|why\\?|🎉)( (the|nginx|socket|radish|错误)){0,5}",
    ];
    prop::collection::vec((0_u8..3, text, -500_i64..500, 0_u32..50), 0..24)
}

fn run(messages: &[(u8, String, i64, u32)]) -> Conversation {
    let mut conversation = Conversation::new(ConversationConfig::default()).unwrap();
    for (speaker, text, minutes, tokens) in messages {
        let speakers = ["user", "assistant", ""];
        let vector = [text.len() as f32 + 1.0, f32::from(*speaker), *tokens as f32];
        let message = NewMessage {
            speaker: speakers[usize::from(*speaker)],
            text,
            at: at(*minutes),
            tokens: *tokens,
            embedding: tokens.is_multiple_of(2).then_some(&vector),
        };
        conversation.register(message).unwrap();
    }
    conversation
}

fn assert_nothing_dangles(conversation: &Conversation) {
    let history = conversation.history();
    let open: BTreeSet<DcnId> = history.open_dcns().map(|dcn| dcn.id).collect();
    for message in history.messages() {
        for dcn in &message.key.dcns {
            assert!(open.contains(dcn), "{dcn} of message {}", message.id);
            assert!(history.members(*dcn).contains(&message.id));
        }
    }
    for dcn in &open {
        assert!(!history.members(*dcn).is_empty(), "{dcn} has no messages");
        for id in history.members(*dcn) {
            assert!(history.message(*id).unwrap().key.dcns.contains(dcn));
        }
    }
}

proptest! {
    #[test]
    fn similarity_is_symmetric_bounded_and_one_on_itself(a in key(), b in key()) {
        let weights = KeyWeights::default();
        let forth = a.similarity(&b, &weights);
        prop_assert!((forth - b.similarity(&a, &weights)).abs() < 1e-12);
        prop_assert!((0.0..=1.0).contains(&forth));
        prop_assert!((a.similarity(&a, &weights) - 1.0).abs() < 1e-12);
        let informed = a.informed_similarity(&b, &weights);
        prop_assert!((0.0..=1.0).contains(&informed) && informed <= forth + 1e-12);
    }

    #[test]
    fn jaccard_with_an_empty_set(a in prop::collection::btree_set(0_u8..9, 0..5)) {
        let expected = if a.is_empty() { 1.0 } else { 0.0 };
        prop_assert!((jaccard(&a, &BTreeSet::new()) - expected).abs() < 1e-12);
    }

    #[test]
    fn keys_round_trip(a in key()) {
        prop_assert_eq!(a.to_string().parse::<DcsKey>().unwrap(), a);
    }

    #[test]
    fn any_text_is_a_key_or_an_error(text in "[0-9,|]{0,12}|\\PC{0,12}") {
        if let Ok(key) = text.parse::<DcsKey>() {
            prop_assert_eq!(key.to_string().parse::<DcsKey>().unwrap(), key);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_dangles_and_merging_is_idempotent(messages in messages()) {
        let mut conversation = run(&messages);
        assert_nothing_dangles(&conversation);
        let linked = conversation.history().messages().len();
        conversation.merge(at(600));
        assert_nothing_dangles(&conversation);
        prop_assert_eq!(conversation.history().messages().len(), linked);
        prop_assert!(conversation.merge(at(700)).is_empty());
    }

    #[test]
    fn the_same_input_gives_the_same_output(messages in messages()) {
        prop_assert_eq!(run(&messages).state(), run(&messages).state());
    }

    #[test]
    fn a_restored_state_is_the_same(messages in messages(), merges in any::<bool>()) {
        let mut conversation = run(&messages);
        if merges {
            conversation.merge(at(600));
        }
        let json = serde_json::to_string(&conversation.state()).unwrap();
        let empty = Conversation::new(ConversationConfig::default()).unwrap();
        let restored = empty.restore(serde_json::from_str(&json).unwrap()).unwrap();
        prop_assert_eq!(restored.state(), conversation.state());
        assert_nothing_dangles(&restored);
    }

    #[test]
    fn an_assembly_never_exceeds_a_cap(
        messages in messages(),
        text in "\\PC{0,30}",
        max_messages in 0_usize..12,
        max_tokens in 0_u64..200,
        found in prop::collection::vec((0_u64..20, 0.0..=1.0), 0..8),
    ) {
        let mut conversation = run(&messages);
        let before = conversation.state().messages;
        // What a search found may name messages twice, or some that are not there.
        let found: Vec<(MessageId, f64)> =
            found.into_iter().map(|(id, fit)| (MessageId::new(id), fit)).collect();
        let assembly = conversation
            .assemble(&Query {
                speaker: "assistant",
                text: &text,
                at: at(0),
                embedding: None,
                max_messages,
                max_tokens,
                found: &found,
            })
            .unwrap();
        let record = |id| conversation.history().message(id).unwrap();
        let tokens: u64 = assembly.messages.iter().map(|m| u64::from(record(m.message).tokens)).sum();
        prop_assert!(assembly.messages.len() <= max_messages && tokens <= max_tokens);
        prop_assert!(assembly.messages.is_sorted_by_key(|m| m.message));
        prop_assert!(assembly.messages.iter().all(|m| (0.0..=1.0).contains(&m.score)));
        prop_assert_eq!(conversation.state().messages, before, "a query changes no message");
    }
}
