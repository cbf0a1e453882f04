//! Backup, export and import.

use std::io::BufReader;

use ee_store::conformance::{governed, identity, scope, source};
use ee_store::{
    AuditStore, ConversationId, ConversationStore, KnowledgeStore, OfferedUnit, Outcome, Role,
    SqliteStore, StoreError, ThreadRecord, ThreadRecordKind, ThreadStateStore, ThreadUpdate,
};
use km_core::{Administrator, Governance, Link, LinkKind, SourceId, Timestamp};

use crate::support::{open, temporary};

fn fill(store: &SqliteStore) {
    let secret = Governance {
        tenant: Some("acme".to_owned()),
        clearance: 3,
        ..Governance::default()
    };
    store.set_fingerprint("model A").expect("a model");
    let mut linked = source("a", &["one", "zwei", "三\n\"<&>"]);
    linked.title = Some("Titel 题".to_owned());
    linked.root = Some("handbook".to_owned());
    let target = linked.units[1].unit.id;
    linked.units[0].unit.links.push(Link {
        kind: LinkKind::Next,
        target,
    });
    store.replace_source(&linked).expect("a write");
    store
        .replace_source(&governed("a", &secret, &["one"]))
        .expect("a write");
    let (owner, name) = (identity(Some("acme"), 3), ConversationId::new("plan"));
    let message = [(Role::User, "hello", Timestamp::UNIX_EPOCH)];
    store.append(&owner, &name, &message).expect("a write");
    let update = ThreadUpdate {
        revision: 0,
        format: 1,
        model: "model A",
        start_over: false,
        records: &[ThreadRecord {
            kind: ThreadRecordKind::Message,
            id: 0,
            content: "{}".to_owned(),
        }],
        decisions: &["first".to_owned(), "second".to_owned()],
        decisions_kept: 10,
    };
    store
        .update_threads(&owner, &name, update)
        .expect("a write");
    let scope = scope(&owner, 0);
    let offered = OfferedUnit {
        rank: 1,
        unit: target,
        source: SourceId::new("a"),
        summary: "zwei".to_owned(),
        relevance: 0.1,
        embedding_sha256: "0123456789abcdef".repeat(4),
    };
    let turn = store
        .begin_turn(&scope, Some(&name), "what?", &[offered])
        .expect("a write");
    let failed = Outcome::Failed {
        message: "no".to_owned(),
    };
    store.end_turn(&scope, turn, &failed, &[]).expect("a write");
    store
        .begin_turn(&scope, None, "open", &[])
        .expect("a write");
}

fn exported(store: &SqliteStore) -> String {
    let mut output = Vec::new();
    store
        .export(Administrator::assume(), &mut output)
        .expect("an export");
    String::from_utf8(output).expect("JSON Lines are UTF-8")
}

fn import(store: &SqliteStore, export: &str) -> Result<ee_store::TransferReport, StoreError> {
    store.import(
        Administrator::assume(),
        &mut BufReader::new(export.as_bytes()),
    )
}

#[test]
fn an_import_gives_the_same_export() {
    let (from, to) = (temporary(), temporary());
    fill(&from.store);
    let export = exported(&from.store);
    let report = import(&to.store, &export).expect("an import");
    assert_eq!((report.sources, report.units, report.turns), (2, 4, 2));
    assert_eq!((report.conversations, report.messages), (1, 1));
    assert_eq!(exported(&to.store), export);
    assert_eq!(
        to.store.fingerprint().expect("a read").as_deref(),
        Some("model A")
    );
    to.store
        .check_integrity(Administrator::assume())
        .expect("a sound store");
    let again = import(&to.store, &export);
    assert!(matches!(
        again,
        Err(StoreError::NotEmpty { sources: 2, .. })
    ));
}

#[test]
fn damaged_exports_change_nothing() {
    let (from, to) = (temporary(), temporary());
    fill(&from.store);
    let export = exported(&from.store);
    let lines: Vec<&str> = export.lines().collect();
    let cut = lines[..lines.len() - 1].join("\n");
    let without_a_unit: Vec<&str> = lines
        .iter()
        .enumerate()
        .filter(|(number, line)| *number < 5 || !line.contains("\"record\":\"unit\""))
        .map(|(_, line)| *line)
        .collect();
    let later = export.replacen("\"version\":2", "\"version\":3", 1);
    let broken = export.replacen(
        "\"record\":\"embedding\",\"text_sha256\":\"",
        "\"record\":\"embedding\",\"text_sha256\":\"x",
        1,
    );
    for damaged in [
        "",
        "{}",
        "not JSON",
        &cut,
        &without_a_unit.join("\n"),
        &later,
        &broken,
        &lines[1..].join("\n"),
    ] {
        let refused = import(&to.store, damaged);
        assert!(
            matches!(refused, Err(StoreError::Import { .. })),
            "{refused:?}"
        );
        assert_eq!(
            to.store
                .stats(Administrator::assume())
                .expect("a read")
                .units,
            0
        );
    }
}

#[test]
fn a_backup_is_a_store() {
    let made = temporary();
    fill(&made.store);
    let target = made.folder.path().join("backup.db");
    made.store
        .backup(Administrator::assume(), &target)
        .expect("a backup");
    assert_eq!(exported(&open(&target)), exported(&made.store));
    let refused = made.store.backup(Administrator::assume(), &target);
    assert!(
        matches!(refused, Err(StoreError::File { .. })),
        "nothing is overwritten"
    );
}
