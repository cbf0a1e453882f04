//! Looking up sources, units, links and figures.

use std::sync::Arc;

use ee_store::conformance::{governed, hash, identity, scope, source, vector};
use ee_store::{GraphStore, KnowledgeStore, SourceCatalogue, StoreError, TenantSource};
use km_core::{Administrator, Governance, Identity, Link, LinkKind, SourceId, UnitId};

use crate::support::temporary;

fn secret() -> Governance {
    Governance {
        clearance: 2,
        ..Governance::default()
    }
}

#[test]
fn sources_are_listed_within_the_scope() {
    let made = temporary();
    let store = &made.store;
    for name in ["docs/a.md", "docs/sub/b.md", "docs-old/c.md", "docs"] {
        store
            .replace_source(&source(name, &[name]))
            .expect("a write");
    }
    store
        .replace_source(&governed("docs/secret.md", &secret(), &["s1", "s2"]))
        .expect("a write");
    let names = |records: Vec<ee_store::SourceRecord>| -> Vec<String> {
        records
            .into_iter()
            .map(|record| record.source.to_string())
            .collect()
    };
    let (low, high) = (Identity::default(), identity(None, 2));
    let under =
        |who: &Identity, prefix: &str| names(store.sources_under(who, prefix).expect("a read"));
    assert_eq!(under(&low, "docs"), ["docs", "docs/a.md", "docs/sub/b.md"]);
    assert_eq!(under(&low, "docs/"), ["docs", "docs/a.md", "docs/sub/b.md"]);
    assert_eq!(under(&high, "docs").len(), 4);
    assert_eq!(under(&high, "").len(), 5);
    let visible = store.visible_sources(&scope(&high, 0)).expect("a read");
    let units: Vec<u64> = visible.iter().map(|record| record.units).collect();
    assert_eq!(units, [1, 1, 1, 2, 1], "in the order of names");
    assert_eq!(
        names(store.visible_sources(&scope(&low, 0)).expect("a read")).len(),
        4
    );

    let renamed = store.sources_by_content(&low, "docs/a.md").expect("a read");
    assert_eq!(names(renamed), ["docs/a.md"]);
    let name = SourceId::new("docs/secret.md");
    assert!(store.source(&low, None, &name).expect("a read").is_none());
    assert!(store.source(&high, None, &name).expect("a read").is_some());
    assert!(
        store
            .source(&high, Some("acme"), &name)
            .expect("a read")
            .is_none()
    );
}

#[test]
fn units_are_found_by_the_beginning_of_their_id() {
    let made = temporary();
    let store = &made.store;
    let mut write = source("a", &["one", "two", "three"]);
    let ids = [
        "00112233445566778899aabbccddeeff",
        "0011ffff445566778899aabbccddeeff",
        "ff",
    ];
    for (unit, id) in write.units.iter_mut().zip(ids) {
        unit.unit.id = format!("{id:0<32}").parse::<UnitId>().expect("an id");
    }
    store.replace_source(&write).expect("a write");
    store
        .replace_source(&governed("b", &secret(), &["hidden"]))
        .expect("a write");
    let low = scope(&Identity::default(), 0);
    let find = |prefix: &str| store.unit_by_prefix(&low, prefix);
    let content = |prefix| {
        find(prefix)
            .expect("a read")
            .map(|stored| stored.unit.content)
    };
    assert_eq!(content("00112"), Some("one".to_owned()));
    assert_eq!(content("0011FF"), Some("two".to_owned()));
    assert_eq!(content(ids[0]), Some("one".to_owned()));
    assert_eq!(content("f"), Some("three".to_owned()));
    assert_eq!(content("abcdef"), None);
    match find("0011") {
        Err(StoreError::AmbiguousPrefix { candidates, .. }) => assert_eq!(candidates.len(), 2),
        other => panic!("expected an ambiguous prefix, got {other:?}"),
    }
    for malformed in ["", "xyz", "é", &"0".repeat(33)] {
        assert!(matches!(
            find(malformed),
            Err(StoreError::UnitPrefix { .. })
        ));
    }
    let hidden = governed("b", &secret(), &["hidden"]).units[0]
        .unit
        .id
        .to_string();
    assert_eq!(content(&hidden), None);
}

#[test]
fn links_lead_only_to_visible_units() {
    let made = temporary();
    let store = &made.store;
    let hidden = governed("secret", &secret(), &["hidden"]);
    let mut open = source("open", &["one", "two"]);
    let target = open.units[1].unit.id;
    open.units[0].unit.links = vec![
        Link {
            kind: LinkKind::References,
            target: hidden.units[0].unit.id,
        },
        Link {
            kind: LinkKind::Next,
            target,
        },
        Link {
            kind: LinkKind::Defines,
            target: UnitId::from_bytes([9; 16]),
        },
    ];
    store.replace_source(&hidden).expect("a write");
    store.replace_source(&open).expect("a write");
    let kinds = |who: &Identity| {
        let scope = scope(who, 0);
        let ids = [hidden.units[0].unit.id, open.units[0].unit.id, target];
        let links = store.links_of(&scope, &ids).expect("a read");
        let units = store.units(&scope, &[2]).expect("a read");
        let listed: Vec<LinkKind> = links.iter().flatten().map(|link| link.kind).collect();
        let held: Vec<LinkKind> = units[0].unit.links.iter().map(|link| link.kind).collect();
        assert_eq!(listed, held);
        listed
    };
    assert_eq!(kinds(&Identity::default()), [LinkKind::Next]);
    assert_eq!(
        kinds(&identity(None, 2)),
        [LinkKind::References, LinkKind::Next]
    );
}

#[test]
fn the_catalogue_knows_states_and_embeddings() {
    let made = temporary();
    let store = &made.store;
    let mut write = source("a", &["one", "two"]);
    write.recipe_sha256 = "recipe".to_owned();
    write.root = Some("handbook".to_owned());
    store.replace_source(&write).expect("a write");
    let capability = Administrator::assume();
    let acme = Governance {
        tenant: Some("acme".to_owned()),
        ..Governance::default()
    };
    store
        .replace_source(&governed("a", &acme, &["three"]))
        .expect("a write");
    let names = [SourceId::new("b"), SourceId::new("a")];
    let states = store.source_states(capability, &names).expect("a read");
    let found: Vec<(&str, usize)> = states
        .iter()
        .map(|state| (state.recipe_sha256.as_str(), state.units))
        .collect();
    assert_eq!(found, [("recipe", 2), ("", 1)]);
    let listed = store.source_roots(capability).expect("a read");
    let common = TenantSource {
        tenant: None,
        source: SourceId::new("a"),
    };
    let theirs = TenantSource {
        tenant: Some("acme".to_owned()),
        ..common.clone()
    };
    let roots = [
        (common.clone(), Some("handbook".to_owned())),
        (theirs.clone(), None),
    ];
    assert_eq!(listed, roots);
    let known = store
        .known_embeddings(&[hash("one"), hash("four")])
        .expect("a read");
    assert_eq!(known, [hash("one")].into());
    let dropped = store.drop_sources(capability, &[common.clone(), common, theirs]);
    assert_eq!(dropped.expect("a write"), 3);
    let known = store.known_embeddings(&[hash("one")]).expect("a read");
    assert!(known.is_empty(), "embeddings go with their last unit");
    assert_eq!(store.stats(capability).expect("a read").governance, 0);
}

#[test]
fn another_model_needs_reembedding() {
    let made = temporary();
    let store = &made.store;
    let capability = Administrator::assume();
    store.set_fingerprint("model A").expect("the first model");
    store
        .set_fingerprint("model B")
        .expect("no vector is stored yet");
    store
        .replace_source(&source("a", &["one", "two"]))
        .expect("a write");
    store.set_fingerprint("model B").expect("the same model");
    let refused = store.set_fingerprint("model C").expect_err("another model");
    assert!(matches!(refused, StoreError::OtherModel { .. }));
    assert!(refused.to_string().contains("eerag reembed"));

    let before = store
        .changes_since(capability, 0, 9)
        .expect("a read")
        .reached;
    let units = store.all_units(capability, 0, 9).expect("a read");
    let longer: Vec<([u8; 32], Arc<[f32]>)> = units
        .iter()
        .map(|(stored, hash)| (*hash, vector(&stored.unit.content).repeat(2).into()))
        .collect();
    let partial = store.replace_embeddings(capability, "model C", &longer[..1]);
    assert!(matches!(
        partial,
        Err(StoreError::EmbeddingsMissing { units: 1 })
    ));
    assert_eq!(
        store
            .replace_embeddings(capability, "model C", &longer)
            .expect("a write"),
        2
    );
    store.set_fingerprint("model C").expect("the new model");
    let heard = store.changes_since(capability, before, 9).expect("a read");
    assert_eq!(heard.changes.len(), 2, "indexes hear of every unit");
    store.check_integrity(capability).expect("a sound store");
}

#[test]
fn old_removals_are_forgotten_and_lagging_indexes_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = ee_store::StoreConfig {
        remembered_changes: 5,
        ..ee_store::StoreConfig::default()
    };
    let path = folder.path().join("a.db");
    let store = ee_store::SqliteStore::open(&path, config).expect("a store");
    for text in ["one", "two", "three", "four", "five", "six"] {
        store
            .replace_source(&source("a", &[text]))
            .expect("a write");
    }
    let capability = Administrator::assume();
    let lagging = store.changes_since(capability, 1, 9);
    assert!(matches!(
        lagging,
        Err(StoreError::ChangesPruned { since: 1, .. })
    ));
    let whole = store
        .changes_since(capability, 0, 9)
        .expect("a full listing");
    assert_eq!(whole.changes.len(), 1);
}
