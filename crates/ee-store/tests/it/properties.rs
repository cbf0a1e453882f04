//! Laws that hold for any units, identities, times and order of writing.

use std::collections::{BTreeMap, BTreeSet};

use ee_store::conformance::{governed, scope};
use ee_store::{Change, KnowledgeStore, SqliteStore, UnitKey};
use km_core::{
    AccessScope, Administrator, Governance, Identity, SourceId, Timestamp, UnitId, Validity,
};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{Temporary, temporary};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const TEXTS: [&str; 5] = ["one", "zwei", "三", "four four", ""];

fn tenants() -> impl Strategy<Value = Option<String>> {
    option::of(select(vec!["acme".to_owned(), "globex".to_owned()]))
}

fn attributes() -> impl Strategy<Value = km_core::Attributes> {
    let value = select(vec!["EMEA".to_owned(), "APAC".to_owned()]);
    btree_map(
        select(vec!["region".to_owned(), "tier".to_owned()]),
        btree_set(value, 0..3),
        0..2,
    )
}

fn validity() -> impl Strategy<Value = Validity> {
    (option::of(0_i64..10), option::of(0_i64..10)).prop_map(|(from, until)| {
        let at =
            |second: Option<i64>| second.and_then(|second| Timestamp::from_second(second).ok());
        Validity::new(at(from), at(until)).unwrap_or_default()
    })
}

prop_compose! {
    fn governance()(
        tenant in tenants(),
        clearance in 0_u32..3,
        attributes in attributes(),
        domain in option::of(select(vec!["hr", "hr.leave"])),
        tier in option::of(1_u32..3),
        version in select(vec!["", "9", "10"]),
        validity in validity(),
        supersedes in btree_set(select(NAMES.map(SourceId::new).to_vec()), 0..2),
    ) -> Governance {
        Governance {
            tenant,
            clearance,
            attributes,
            domain: domain.and_then(|path| path.parse().ok()),
            authority_tier: tier.and_then(|tier| tier.try_into().ok()),
            version: version.to_owned(),
            validity,
            supersedes,
        }
    }
}

prop_compose! {
    fn scopes()(
        tenant in tenants(),
        clearance in 0_u32..3,
        attributes in attributes(),
        second in 0_i64..10,
    ) -> AccessScope {
        scope(&Identity { tenant, clearance, attributes }, second)
    }
}

/// One write: a source with its governance and texts; no text means that it is dropped by a
/// reader with every right.
#[derive(Debug, Clone)]
struct Write {
    name: &'static str,
    governance: Governance,
    texts: Vec<&'static str>,
}

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let write = (
        select(NAMES.to_vec()),
        governance(),
        vec(select(TEXTS.to_vec()), 0..5),
    );
    vec(
        write.prop_map(|(name, governance, texts)| Write {
            name,
            governance,
            texts,
        }),
        1..12,
    )
}

fn apply(store: &SqliteStore, write: &Write) {
    store
        .replace_source(&governed(write.name, &write.governance, &write.texts))
        .expect("a write");
}

/// Ids and keys of everything stored.
fn keys(store: &SqliteStore) -> BTreeMap<UnitId, (UnitKey, Vec<u32>)> {
    let batch = store
        .changes_since(Administrator::assume(), 0, 1_000)
        .expect("a read");
    let added = batch.changes.into_iter().map(|change| match change {
        Change::Added {
            key, id, embedding, ..
        } => (
            id,
            (key, embedding.iter().map(|value| value.to_bits()).collect()),
        ),
        Change::Removed { key } => panic!("unit {key} was never in an empty index"),
    });
    added.collect()
}

/// What the scope reads, by the id of each unit.
fn read(store: &SqliteStore, scope: &AccessScope) -> BTreeSet<UnitId> {
    let all: Vec<UnitKey> = keys(store).into_values().map(|(key, _)| key).collect();
    let units = store.units(scope, &all).expect("a read");
    units.iter().map(|stored| stored.unit.id).collect()
}

fn check_every_path(store: &SqliteStore, scope: &AccessScope) -> Result<(), TestCaseError> {
    let readable = read(store, scope);
    let visible = store.visible(scope).expect("a read");
    for (stored, _) in store
        .all_units(Administrator::assume(), 0, 1_000)
        .expect("a read")
    {
        let unit = &stored.unit;
        let seen = readable.contains(&unit.id);
        prop_assert!(
            !seen || scope.admits(&unit.governance),
            "{unit:?} must stay hidden"
        );
        prop_assert_eq!(visible.contains(stored.key), seen);
        let by_id = store
            .unit_by_prefix(scope, &unit.id.to_string())
            .expect("a read");
        prop_assert_eq!(by_id.is_some(), seen);
    }
    let counted: u64 = store
        .visible_sources(scope)
        .expect("a read")
        .iter()
        .map(|source| source.units)
        .sum();
    prop_assert_eq!(counted as usize, readable.len());
    Ok(())
}

fn fresh(last: &BTreeMap<(Option<String>, &str), Write>) -> Temporary {
    let made = temporary();
    for write in last.values() {
        apply(&made.store, write);
    }
    made
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn reads_stay_in_scope_and_writes_end_where_a_fresh_store_would(
        writes in writes(),
        scopes in vec(scopes(), 1..6),
    ) {
        let made = temporary();
        let mut last = BTreeMap::new();
        let mut before = BTreeMap::new();
        for write in &writes {
            apply(&made.store, write);
            last.insert((write.governance.tenant.clone(), write.name), write.clone());
            let now = keys(&made.store);
            for (id, stored) in &now {
                prop_assert!(before.get(id).is_none_or(|known| known == stored), "{id} moved");
            }
            before = now;
            for scope in &scopes {
                check_every_path(&made.store, scope)?;
            }
        }
        let fresh = fresh(&last);
        for scope in &scopes {
            prop_assert_eq!(read(&made.store, scope), read(&fresh.store, scope));
        }
        let vectors = |store: &SqliteStore| -> BTreeMap<UnitId, Vec<u32>> {
            keys(store).into_iter().map(|(id, (_, vector))| (id, vector)).collect()
        };
        prop_assert_eq!(vectors(&made.store), vectors(&fresh.store));
        made.store.check_integrity(Administrator::assume()).expect("a sound store");
    }

    #[test]
    fn embeddings_keep_every_bit(bits in vec(any::<u32>(), 1..64)) {
        let values: Vec<f32> = bits.into_iter().map(f32::from_bits).filter(|v| v.is_finite()).collect();
        let made = temporary();
        let mut write = governed("a", &Governance::default(), &["one"]);
        write.units[0].embedding = Some(values.clone().into());
        made.store.replace_source(&write).expect("a write");
        let stored = keys(&made.store).into_values().next().expect("a unit").1;
        let expected: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        prop_assert_eq!(stored, expected);
    }
}
