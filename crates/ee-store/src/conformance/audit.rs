//! What every audit must do.

use km_core::{SourceId, Timestamp, UnitId};

use super::sample::{identity, scope};
use crate::{
    AuditStore, ConversationId, ConversationStore, ElectedUnit, OfferedUnit, Outcome, Role,
    StoreError,
};

/// Checks an audit; `make` gives an empty one.
pub fn audit_store<S: AuditStore + ConversationStore>(make: impl Fn() -> S) {
    both_phases_are_kept(&make());
    turns_are_their_owners(&make());
    failed_turns_persist_nothing(&make());
    forgetting_a_conversation_takes_its_turns(&make());
}

fn offered() -> OfferedUnit {
    OfferedUnit {
        rank: 1,
        unit: UnitId::from_bytes([7; 16]),
        source: SourceId::new("policy.md"),
        summary: "Reisekosten 差旅".to_owned(),
        relevance: 0.75,
        embedding_sha256: "a3f9b2c1".repeat(8),
    }
}

fn answered(tag: &str) -> Outcome {
    Outcome::Answered {
        elected: vec![ElectedUnit {
            rank: 1,
            unit: offered().unit,
            tag: tag.to_owned(),
        }],
        refused: vec!["9".to_owned()],
        unfit: vec![2],
        false_citations: Vec::new(),
        calls: 2,
        prompt_tokens: 100,
        completion_tokens: 20,
    }
}

fn both_phases_are_kept<S: AuditStore + ConversationStore>(store: &S) {
    let scope = scope(&identity(Some("acme"), 1), 0);
    let name = ConversationId::new("plan");
    let turn = store
        .begin_turn(&scope, Some(&name), "what?", &[offered()])
        .unwrap();
    let open = store.latest_turns(&scope, 5).unwrap();
    let open = open.first().unwrap();
    assert_eq!((open.turn, open.question.as_str()), (turn, "what?"));
    assert_eq!(open.offered, [offered()]);
    assert!(open.outcome.is_none() && open.completed_at.is_none());
    assert!(store.turns_by_tag(&scope, "a3f9b2c1").unwrap().is_empty());

    let history = [
        (Role::User, "what?"),
        (Role::Assistant, "this [RAG:a3f9b2c1]"),
    ];
    let outcome = answered("a3f9b2c1");
    store.end_turn(&scope, turn, &outcome, &history).unwrap();
    for tag in ["a3f9b2c1", "A3F9B2C1a3f9", &"a3f9b2c1".repeat(8)] {
        let found = store.turns_by_tag(&scope, tag).unwrap();
        assert_eq!(found.first().unwrap().outcome.as_ref(), Some(&outcome));
        assert!(found.first().unwrap().completed_at >= Some(found.first().unwrap().at));
    }
    assert!(store.turns_by_tag(&scope, "a3f9b2c2").unwrap().is_empty());
    let messages = store.messages(&scope.identity, &name, 0, 9).unwrap();
    let texts: Vec<&str> = messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(texts, ["what?", "this [RAG:a3f9b2c1]"]);

    let again = store.end_turn(&scope, turn, &outcome, &history);
    assert!(matches!(again, Err(StoreError::TurnEnded { .. })));
    for malformed in ["", "a3f9b2c", "a3f9b2cg", &"a".repeat(65)] {
        let refused = store.turns_by_tag(&scope, malformed);
        assert!(
            matches!(refused, Err(StoreError::Tag { .. })),
            "{malformed}"
        );
    }
}

fn turns_are_their_owners(store: &dyn AuditStore) {
    let owner = scope(&identity(Some("acme"), 2), 0);
    let turn = store
        .begin_turn(&owner, None, "secret?", &[offered()])
        .unwrap();
    for other in [
        identity(None, 9),
        identity(Some("other"), 9),
        identity(Some("acme"), 1),
    ] {
        let other = scope(&other, 0);
        assert!(store.latest_turns(&other, 9).unwrap().is_empty());
        let refused = store.end_turn(&other, turn, &answered("a3f9b2c1"), &[]);
        assert!(matches!(refused, Err(StoreError::NoTurn { .. })));
    }
    store
        .end_turn(&owner, turn, &answered("a3f9b2c1"), &[])
        .unwrap();
    let other = scope(&identity(Some("acme"), 1), 0);
    assert!(store.turns_by_tag(&other, "a3f9b2c1").unwrap().is_empty());
    let superior = scope(&identity(Some("acme"), 3), 0);
    assert_eq!(store.turns_by_tag(&superior, "a3f9b2c1").unwrap().len(), 1);
}

fn failed_turns_persist_nothing<S: AuditStore + ConversationStore>(store: &S) {
    let scope = scope(&identity(None, 0), 0);
    let name = ConversationId::new("plan");
    let turn = store.begin_turn(&scope, Some(&name), "what?", &[]).unwrap();
    let failure = Outcome::Failed {
        message: "timed out".to_owned(),
    };
    store.end_turn(&scope, turn, &failure, &[]).unwrap();
    let turns = store.latest_turns(&scope, 1).unwrap();
    assert_eq!(turns.first().unwrap().outcome, Some(failure));
    assert!(store.conversations(&scope.identity).unwrap().is_empty());
}

fn forgetting_a_conversation_takes_its_turns<S: AuditStore + ConversationStore>(store: &S) {
    let scope = scope(&identity(None, 0), 0);
    let name = ConversationId::new("plan");
    let message = [(Role::User, "what?", Timestamp::UNIX_EPOCH)];
    store.append(&scope.identity, &name, &message).unwrap();
    let turn = store
        .begin_turn(&scope, Some(&name), "what?", &[offered()])
        .unwrap();
    store
        .end_turn(&scope, turn, &answered("a3f9b2c1"), &[])
        .unwrap();
    store.begin_turn(&scope, None, "alone?", &[]).unwrap();
    assert!(store.forget(&scope.identity, &name).unwrap());
    let left = store.latest_turns(&scope, 9).unwrap();
    assert_eq!(left.len(), 1);
    assert!(store.turns_by_tag(&scope, "a3f9b2c1").unwrap().is_empty());
}
