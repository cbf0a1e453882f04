//! What every store of lines of work must do.

use km_core::{Identity, Timestamp};

use super::sample::identity;
use crate::{
    ConversationId, ConversationStore, Role, StoreError, ThreadState, ThreadStateStore,
    ThreadUpdate,
};

/// Checks a store of lines of work; `make` gives an empty one.
pub fn thread_state_store<S: ThreadStateStore + ConversationStore>(make: impl Fn() -> S) {
    let store = make();
    let (owner, name) = (identity(Some("acme"), 1), ConversationId::new("plan"));
    let empty = store.thread_state(&owner, &name).unwrap();
    assert_eq!(empty, ThreadState::default());

    let messages = [(Role::User, "hello", Timestamp::UNIX_EPOCH)];
    let decisions: Vec<String> = (0..3).map(|n| format!("decision {n}")).collect();
    let state = ThreadState {
        revision: 0,
        format: 7,
        state: "{\"工作\":1}".to_owned(),
    };
    let update = ThreadUpdate {
        messages: &messages,
        state: &state,
        decisions: &decisions,
        decisions_kept: 2,
    };
    assert_eq!(store.update_threads(&owner, &name, update).unwrap(), 0);
    let stored = store.thread_state(&owner, &name).unwrap();
    assert_eq!((stored.revision, stored.format), (1, 7));
    assert_eq!(stored.state, state.state);
    assert_eq!(
        store.decisions(&owner, &name, 9).unwrap(),
        ["decision 2", "decision 1"]
    );

    let stale = store.update_threads(&owner, &name, update);
    assert!(matches!(
        stale,
        Err(StoreError::StaleState {
            expected: 0,
            found: 1,
            ..
        })
    ));
    let kept = store.messages(&owner, &name, 0, 9).unwrap();
    assert_eq!(kept.len(), 1, "a refused update appends nothing");

    let stranger = Identity::default();
    assert_eq!(store.thread_state(&stranger, &name).unwrap(), empty);
    assert!(store.decisions(&stranger, &name, 9).unwrap().is_empty());
    store.forget(&owner, &name).unwrap();
    assert_eq!(store.thread_state(&owner, &name).unwrap(), empty);
}
