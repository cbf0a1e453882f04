//! What every knowledge store must do.

use std::collections::{BTreeMap, BTreeSet};

use km_core::{AccessScope, Administrator, Governance, Identity, SourceId, Timestamp, Validity};
use sha2::{Digest, Sha256};

use super::sample::{governed, identity, scope, source};
use crate::{Change, KnowledgeStore, Sequence, SourceChange, StoreError, StoredUnit, UnitKey};

/// Checks a knowledge store; `make` gives an empty one.
pub fn knowledge_store<S: KnowledgeStore>(make: impl Fn() -> S) {
    replacing_keeps_what_is_unchanged(&make());
    removing_takes_everything(&make());
    changes_rebuild_the_content(&make());
    tags_are_hashes_of_stored_bytes(&make());
    a_unit_needs_an_embedding(&make());
    wrong_units_are_refused(&make());
    the_plain_rule_holds(&make());
    validity_is_half_open(&make());
    superseded_sources_are_hidden(&make());
    authority_decides_within_a_domain(&make());
    readers_remove_only_what_they_may_see(&make());
}

fn everyone() -> AccessScope {
    scope(&Identity::default(), 0)
}

fn read(store: &dyn KnowledgeStore, scope: &AccessScope) -> Vec<StoredUnit> {
    // Every key that was ever given, whether the scope may see it or not.
    let keys: Vec<UnitKey> = (0..200).collect();
    let units = store.units(scope, &keys).unwrap();
    let visible = store.visible(scope).unwrap();
    let seen: Vec<UnitKey> = units.iter().map(|unit| unit.key).collect();
    let admitted: Vec<UnitKey> = keys
        .into_iter()
        .filter(|key| visible.contains(*key))
        .collect();
    assert_eq!(seen, admitted, "`units` and `visible` agree");
    units
}

fn contents(store: &dyn KnowledgeStore, scope: &AccessScope) -> BTreeSet<String> {
    let units = read(store, scope).into_iter();
    units.map(|stored| stored.unit.content).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn replacing_keeps_what_is_unchanged(store: &dyn KnowledgeStore) {
    store
        .replace_source(&source("a", &["one", "two", "two"]))
        .unwrap();
    let before = read(store, &everyone());
    let change = store
        .replace_source(&source("a", &["zero", "two", "one"]))
        .unwrap();
    let expected = SourceChange {
        added: 1,
        unchanged: 2,
        removed: 1,
        existed: true,
    };
    assert_eq!(change, expected);
    let after = read(store, &everyone());
    assert_eq!(after.len(), 3);
    let kept: Vec<_> = before.iter().filter(|unit| after.contains(unit)).collect();
    assert_eq!(kept.len(), 2, "key, embedding and content stay");
    let largest = before.iter().map(|unit| unit.key).max().unwrap();
    assert!(
        after.iter().any(|unit| unit.key > largest),
        "no key is given twice"
    );
}

fn removing_takes_everything(store: &dyn KnowledgeStore) {
    store.replace_source(&source("a", &["one"])).unwrap();
    store.replace_source(&source("b", &["two"])).unwrap();
    assert!(
        store
            .remove_source(&everyone(), &SourceId::new("a"))
            .unwrap()
    );
    assert!(
        !store
            .remove_source(&everyone(), &SourceId::new("a"))
            .unwrap()
    );
    assert_eq!(contents(store, &everyone()), set(&["two"]));
}

/// An index that follows, as simple as can be.
#[derive(Default)]
struct Mirror {
    sequence: Sequence,
    texts: BTreeMap<UnitKey, String>,
}

impl Mirror {
    fn follow(&mut self, store: &dyn KnowledgeStore, step: usize) {
        loop {
            let since = self.sequence;
            let batch = store
                .changes_since(Administrator::assume(), since, step)
                .unwrap();
            assert_eq!(batch.since, since);
            assert!(batch.changes.len() <= step);
            assert!(batch.reached > since || !batch.more, "every step leads on");
            for change in batch.changes {
                match change {
                    Change::Added { key, text, .. } => self.texts.insert(key, text),
                    Change::Removed { key } => self.texts.remove(&key),
                };
            }
            self.sequence = batch.reached;
            if !batch.more {
                return;
            }
        }
    }
}

fn changes_rebuild_the_content(store: &dyn KnowledgeStore) {
    let mut early = Mirror::default();
    store
        .replace_source(&source("a", &["one", "two", "three"]))
        .unwrap();
    early.follow(store, 2);
    store
        .replace_source(&source("a", &["three", "four"]))
        .unwrap();
    store.replace_source(&source("b", &["five"])).unwrap();
    store
        .remove_source(&everyone(), &SourceId::new("b"))
        .unwrap();
    early.follow(store, 1);
    let mut late = Mirror::default();
    late.follow(store, 100);
    assert_eq!(early.texts, late.texts);
    let expected: Vec<UnitKey> = read(store, &everyone()).iter().map(|u| u.key).collect();
    assert_eq!(late.texts.into_keys().collect::<Vec<_>>(), expected);
    let ahead = store.changes_since(Administrator::assume(), late.sequence + 1, 1);
    assert!(matches!(ahead, Err(StoreError::IndexAhead { .. })));
}

fn tags_are_hashes_of_stored_bytes(store: &dyn KnowledgeStore) {
    store
        .replace_source(&source("a", &["one", "zwei", "三"]))
        .unwrap();
    let batch = store.changes_since(Administrator::assume(), 0, 10).unwrap();
    let units = read(store, &everyone());
    assert_eq!(batch.changes.len(), units.len());
    for (change, stored) in batch.changes.iter().zip(&units) {
        let Change::Added {
            key, id, embedding, ..
        } = change
        else {
            unreachable!("nothing was removed");
        };
        assert_eq!((*key, *id), (stored.key, stored.unit.id));
        assert_eq!(
            **embedding,
            *super::vector(&stored.unit.content),
            "bit for bit"
        );
        let bytes: Vec<u8> = embedding.iter().flat_map(|v| v.to_le_bytes()).collect();
        let digest = Sha256::digest(bytes);
        let digits = digest
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        assert_eq!(stored.embedding_sha256, digits);
    }
}

fn a_unit_needs_an_embedding(store: &dyn KnowledgeStore) {
    let mut write = source("a", &["one", "two"]);
    write
        .units
        .iter_mut()
        .for_each(|unit| unit.embedding = None);
    let refused = store.replace_source(&write);
    assert!(matches!(refused, Err(StoreError::EmbeddingMissing { .. })));
    assert!(
        read(store, &everyone()).is_empty(),
        "nothing is written in part"
    );
    store.replace_source(&source("b", &["one", "two"])).unwrap();
    store.replace_source(&write).unwrap();
    assert_eq!(read(store, &everyone()).len(), 4);
}

fn wrong_units_are_refused(store: &dyn KnowledgeStore) {
    let mut foreign = source("a", &["one"]);
    foreign.source = SourceId::new("b");
    let refused = store.replace_source(&foreign);
    assert!(matches!(refused, Err(StoreError::ForeignUnit { .. })));
    let mut twice = source("a", &["one"]);
    twice.units.extend(source("a", &["one"]).units);
    let refused = store.replace_source(&twice);
    assert!(matches!(refused, Err(StoreError::DuplicateUnit { .. })));
    let mut long = source("a", &["one", "two"]);
    long.units.last_mut().unwrap().embedding = Some([0.5; 9].into());
    let refused = store.replace_source(&long);
    assert!(matches!(refused, Err(StoreError::Dimension { .. })));
    let mut broken = source("a", &["one"]);
    broken.units.last_mut().unwrap().embedding = Some([f32::NAN; 8].into());
    let refused = store.replace_source(&broken);
    assert!(matches!(refused, Err(StoreError::NotFinite { .. })));
}

fn the_plain_rule_holds(store: &dyn KnowledgeStore) {
    let secret = Governance {
        tenant: Some("acme".to_owned()),
        clearance: 2,
        attributes: [("region".to_owned(), ["EMEA".to_owned()].into())].into(),
        ..Governance::default()
    };
    store.replace_source(&source("open", &["open"])).unwrap();
    store
        .replace_source(&governed("secret", &secret, &["secret"]))
        .unwrap();
    let mut cleared = identity(Some("acme"), 2);
    assert_eq!(contents(store, &scope(&cleared, 0)), set(&["open"]));
    cleared.attributes = secret.attributes.clone();
    assert_eq!(
        contents(store, &scope(&cleared, 0)),
        set(&["open", "secret"])
    );
    for other in [
        Identity {
            tenant: None,
            ..cleared.clone()
        },
        Identity {
            tenant: Some("other".to_owned()),
            ..cleared.clone()
        },
        Identity {
            clearance: 1,
            ..cleared.clone()
        },
    ] {
        assert_eq!(contents(store, &scope(&other, 0)), set(&["open"]));
    }
}

fn validity_is_half_open(store: &dyn KnowledgeStore) {
    let at = |second| Timestamp::from_second(second).ok();
    let limited = Governance {
        validity: Validity::new(at(10), at(20)).unwrap(),
        ..Governance::default()
    };
    store
        .replace_source(&governed("a", &limited, &["limited"]))
        .unwrap();
    for (second, seen) in [(9, false), (10, true), (19, true), (20, false)] {
        let units = read(store, &scope(&Identity::default(), second));
        assert_eq!(!units.is_empty(), seen, "at second {second}");
    }
}

fn superseded_sources_are_hidden(store: &dyn KnowledgeStore) {
    let newer = Governance {
        tenant: Some("acme".to_owned()),
        supersedes: [SourceId::new("old"), SourceId::new("new")].into(),
        ..Governance::default()
    };
    store.replace_source(&source("old", &["old"])).unwrap();
    store
        .replace_source(&governed("new", &newer, &["new"]))
        .unwrap();
    assert_eq!(
        contents(store, &everyone()),
        set(&["old"]),
        "the newer one is not visible"
    );
    let acme = scope(&identity(Some("acme"), 0), 0);
    assert_eq!(
        contents(store, &acme),
        set(&["new"]),
        "nothing supersedes itself"
    );
    let left_out = acme.clone().without([SourceId::new("new")]);
    assert_eq!(contents(store, &left_out), set(&["old"]), "left out");
    let all = left_out.without([SourceId::new("old")]);
    assert!(contents(store, &all).is_empty());
    assert_eq!(contents(store, &acme), set(&["new"]), "for that once only");
    store.remove_source(&acme, &SourceId::new("new")).unwrap();
    assert_eq!(contents(store, &acme), set(&["old"]));
}

fn authority_decides_within_a_domain(store: &dyn KnowledgeStore) {
    let tier = |tier: u32, version: &str| Governance {
        domain: "finance.travel".parse().ok(),
        authority_tier: tier.try_into().ok(),
        version: version.to_owned(),
        ..Governance::default()
    };
    store
        .replace_source(&governed("a", &tier(2, "9"), &["a1", "a2"]))
        .unwrap();
    store
        .replace_source(&governed("b", &tier(2, "10"), &["b1", "b2"]))
        .unwrap();
    store.replace_source(&source("c", &["c1"])).unwrap();
    assert_eq!(contents(store, &everyone()), set(&["b1", "b2", "c1"]));
    store
        .replace_source(&governed("d", &tier(1, ""), &["d1"]))
        .unwrap();
    assert_eq!(contents(store, &everyone()), set(&["d1", "c1"]));
}

fn readers_remove_only_what_they_may_see(store: &dyn KnowledgeStore) {
    let secret = Governance {
        clearance: 3,
        ..Governance::default()
    };
    store
        .replace_source(&governed("a", &secret, &["secret"]))
        .unwrap();
    assert!(
        !store
            .remove_source(&everyone(), &SourceId::new("a"))
            .unwrap()
    );
    let cleared = scope(&identity(None, 3), 0);
    assert_eq!(contents(store, &cleared), set(&["secret"]));
    assert!(store.remove_source(&cleared, &SourceId::new("a")).unwrap());
}
