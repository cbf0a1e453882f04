//! What every store of lines of work must do.

use km_core::{Identity, Timestamp};

use super::sample::identity;
use crate::{
    ConversationId, ConversationStore, Role, StoreError, ThreadRecord, ThreadRecordKind,
    ThreadState, ThreadStateStore, ThreadUpdate,
};

/// Checks a store of lines of work; `make` gives an empty one.
pub fn thread_state_store<S: ThreadStateStore + ConversationStore>(make: impl Fn() -> S) {
    let store = make();
    let (owner, name) = (identity(Some("acme"), 1), ConversationId::new("plan"));
    let empty = store.thread_state(&owner, &name).unwrap();
    assert_eq!(empty, ThreadState::default());

    let message = [(Role::User, "hello", Timestamp::UNIX_EPOCH)];
    store.append(&owner, &name, &message).unwrap();
    let decisions: Vec<String> = (0..3).map(|n| format!("decision {n}")).collect();
    let first = [message_record(0, "{\"工作\":1}"), line_of_work(1, "one")];
    let update = ThreadUpdate {
        revision: 0,
        format: 7,
        model: "m",
        start_over: false,
        records: &first,
        decisions: &decisions,
        decisions_kept: 2,
    };
    assert_eq!(store.update_threads(&owner, &name, update).unwrap(), 1);
    let stored = store.thread_state(&owner, &name).unwrap();
    assert_eq!((stored.revision, stored.format), (1, 7));
    assert_eq!(stored.model, "m");
    assert_eq!(stored.records, first);
    let log = store.decisions(&owner, &name, 9).unwrap();
    assert_eq!(log, ["decision 2", "decision 1"]);

    let stale = store.update_threads(&owner, &name, update).unwrap_err();
    assert!(
        matches!(
            stale,
            StoreError::StaleState {
                expected: 0,
                found: 1,
                ..
            }
        ),
        "{stale}"
    );
    replaces_and_starts_over(&store, &owner, &name);

    let more_cleared = identity(Some("acme"), 5);
    let revision = store.thread_state(&more_cleared, &name).unwrap().revision;
    let same = ThreadUpdate {
        revision,
        decisions: &[],
        ..update
    };
    store.update_threads(&more_cleared, &name, same).unwrap();
    let log = store.decisions(&owner, &name, 9).unwrap();
    assert!(!log.is_empty(), "records alone shut nobody out");

    let stranger = Identity::default();
    assert_eq!(store.thread_state(&stranger, &name).unwrap(), empty);
    assert!(store.decisions(&stranger, &name, 9).unwrap().is_empty());
    store.forget(&owner, &name).unwrap();
    assert_eq!(store.thread_state(&owner, &name).unwrap(), empty);
}

fn replaces_and_starts_over(
    store: &impl ThreadStateStore,
    owner: &Identity,
    name: &ConversationId,
) {
    let mut update = ThreadUpdate {
        revision: 1,
        format: 7,
        model: "m",
        start_over: false,
        records: &[message_record(1, "two"), line_of_work(1, "touched")],
        decisions: &[],
        decisions_kept: 2,
    };
    assert_eq!(store.update_threads(owner, name, update).unwrap(), 2);
    let records = store.thread_state(owner, name).unwrap().records;
    let contents: Vec<&str> = records.iter().map(|r| r.content.as_str()).collect();
    assert_eq!(contents, ["{\"工作\":1}", "two", "touched"]);
    let only = [message_record(0, "anew")];
    (update.revision, update.start_over, update.records) = (2, true, &only);
    assert_eq!(store.update_threads(owner, name, update).unwrap(), 3);
    assert_eq!(store.thread_state(owner, name).unwrap().records, only);
    let log = store.decisions(owner, name, 9).unwrap();
    assert_eq!(log.len(), 2, "the log is kept");
}

fn message_record(id: u64, content: &str) -> ThreadRecord {
    let (kind, content) = (ThreadRecordKind::Message, content.to_owned());
    ThreadRecord { kind, id, content }
}

fn line_of_work(id: u64, content: &str) -> ThreadRecord {
    let (kind, content) = (ThreadRecordKind::LineOfWork, content.to_owned());
    ThreadRecord { kind, id, content }
}
