//! What every store of conversations must do.

use km_core::{Identity, Timestamp};

use super::sample::identity;
use crate::{ConversationId, ConversationStore, Role, StoreError};

/// Checks a store of conversations; `make` gives an empty one.
pub fn conversation_store<S: ConversationStore>(make: impl Fn() -> S) {
    messages_come_back_in_order(&make());
    conversations_are_their_owners(&make());
    a_shared_conversation_rises_to_its_writers(&make());
    forgetting_leaves_nothing(&make());
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn messages_come_back_in_order(store: &dyn ConversationStore) {
    let owner = Identity::default();
    let name = ConversationId::new("Urlaub 休假 🏖");
    let first = [
        (Role::User, "Grüße\r\n", at(1)),
        (Role::Assistant, "你好 🙂", at(2)),
    ];
    assert_eq!(store.append(&owner, &name, &first).unwrap(), 0);
    assert_eq!(
        store
            .append(&owner, &name, &[(Role::User, "", at(3))])
            .unwrap(),
        2
    );
    let messages = store.messages(&owner, &name, 0, 10).unwrap();
    let texts: Vec<&str> = messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(texts, ["Grüße\r\n", "你好 🙂", ""]);
    assert!(messages.iter().map(|message| message.position).eq(0..3));
    assert_eq!(messages.first().unwrap().at, at(1));
    let middle = store.messages(&owner, &name, 1, 1).unwrap();
    assert_eq!(middle.first(), messages.get(1));
    let summaries = store.conversations(&owner).unwrap();
    let summary = summaries.first().unwrap();
    assert_eq!(
        (summary.messages, summary.started, summary.last),
        (3, at(1), at(3))
    );
}

fn conversations_are_their_owners(store: &dyn ConversationStore) {
    let name = ConversationId::new("plan");
    let owner = identity(Some("acme"), 2);
    store
        .append(&owner, &name, &[(Role::User, "secret", at(1))])
        .unwrap();
    for other in [
        identity(None, 9),
        identity(Some("other"), 9),
        identity(Some("acme"), 1),
    ] {
        assert!(store.messages(&other, &name, 0, 9).unwrap().is_empty());
        assert!(store.conversations(&other).unwrap().is_empty());
        assert!(!store.forget(&other, &name).unwrap());
    }
    let same_tenant = identity(Some("acme"), 1);
    let refused = store.append(&same_tenant, &name, &[(Role::User, "hello", at(2))]);
    assert!(matches!(
        refused,
        Err(StoreError::ForeignConversation { .. })
    ));
    let other_tenant = identity(Some("other"), 1);
    store
        .append(&other_tenant, &name, &[(Role::User, "mine", at(2))])
        .unwrap();
    assert_eq!(store.messages(&other_tenant, &name, 0, 9).unwrap().len(), 1);
    assert_eq!(
        store
            .messages(&identity(Some("acme"), 3), &name, 0, 9)
            .unwrap()
            .len(),
        1
    );
}

fn a_shared_conversation_rises_to_its_writers(store: &dyn ConversationStore) {
    let name = ConversationId::new("plan");
    let (low, high) = (identity(None, 1), identity(None, 5));
    store
        .append(&low, &name, &[(Role::User, "open", at(1))])
        .unwrap();
    store
        .append(&high, &name, &[(Role::User, "secret", at(2))])
        .unwrap();
    assert!(store.messages(&low, &name, 0, 9).unwrap().is_empty());
    assert_eq!(store.messages(&high, &name, 0, 9).unwrap().len(), 2);
}

fn forgetting_leaves_nothing(store: &dyn ConversationStore) {
    let (owner, name) = (Identity::default(), ConversationId::new("plan"));
    store
        .append(&owner, &name, &[(Role::User, "one", at(1))])
        .unwrap();
    assert!(store.forget(&owner, &name).unwrap());
    assert!(!store.forget(&owner, &name).unwrap());
    assert!(store.messages(&owner, &name, 0, 9).unwrap().is_empty());
    assert_eq!(
        store
            .append(&owner, &name, &[(Role::User, "new", at(2))])
            .unwrap(),
        0
    );
}
