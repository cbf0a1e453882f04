//! Nothing that the plain rule forbids comes out of the store, on whatever path.
//!
//! Read on somebody's behalf, and checked here for random sources, links, callers and moments:
//!
//! - units: `visible`, `units` (with the links that they carry), `unit_by_prefix`;
//! - the graph: `links_of`, `units_by_id`, `entities`, `units_of_entities`;
//! - sources: `visible_sources`, `sources_under`, `source`, `sources_by_content`;
//! - audit: `latest_turns`, `turns_by_tag`, `end_turn`;
//! - conversations: `messages`, `conversations`, `append`, `forget`;
//! - lines of work: `thread_state`, `decisions`, `update_threads`;
//! - removal: `remove_source`.
//!
//! Everything else that reads (`changes_since`, `all_units`, `source_states`, `source_roots`,
//! `referring_sources`, `stored_source`, `stats`, `export`) takes an `Administrator`, which no
//! caller has. The resolved scopes that the store keeps are covered by asking as several callers
//! in turn, between writes. Search, expansion and turns are covered by the same rule in
//! `ee-pipeline`.

mod drawn;
mod owned;
mod plain_rule;

use std::collections::{BTreeMap, BTreeSet};

use ee_store::conformance::vector;
use ee_store::{GraphStore, KnowledgeStore, SourceWrite, SqliteStore, StoreError, UnitKey};
use km_core::{
    AccessScope, Administrator, Entity, Governance, Identity, SourceId, Timestamp, UnitId,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::temporary;

/// Ids by key, of everything stored.
fn stored(store: &SqliteStore) -> BTreeMap<UnitKey, UnitId> {
    let all = store.all_units(Administrator::assume(), 0, usize::MAX);
    let all = all.expect("a read").into_iter();
    all.map(|(stored, _)| (stored.key, stored.unit.id))
        .collect()
}

struct Check<'a> {
    store: &'a SqliteStore,
    standing: &'a [SourceWrite],
    scope: &'a AccessScope,
    /// What the plain rule allows.
    allowed: BTreeSet<UnitId>,
}

impl<'a> Check<'a> {
    fn new(store: &'a SqliteStore, standing: &'a [SourceWrite], scope: &'a AccessScope) -> Self {
        let allowed = plain_rule::visible(standing, &scope.identity, scope.at);
        Self {
            store,
            standing,
            scope,
            allowed,
        }
    }

    fn every_path(&self) -> Result<(), TestCaseError> {
        self.units_by_key()?;
        self.units_by_id()?;
        self.graph()?;
        self.entities()?;
        self.sources()?;
        self.sources_at_any_time()
    }

    fn units_by_key(&self) -> Result<(), TestCaseError> {
        let all = stored(self.store);
        let keys: Vec<UnitKey> = all.keys().copied().collect();
        let visible = self.store.visible(self.scope).expect("a read");
        for (key, id) in &all {
            prop_assert_eq!(visible.contains(*key), self.allowed.contains(id));
        }
        let units = self.store.units(self.scope, &keys).expect("a read");
        let ids: BTreeSet<UnitId> = units.iter().map(|stored| stored.unit.id).collect();
        prop_assert_eq!(&ids, &self.allowed);
        for link in units.iter().flat_map(|stored| &stored.unit.links) {
            prop_assert!(
                self.allowed.contains(&link.target),
                "a link leads out of sight"
            );
        }
        Ok(())
    }

    fn units_by_id(&self) -> Result<(), TestCaseError> {
        for id in stored(self.store).values() {
            let id_text = id.to_string();
            let whole = self
                .store
                .unit_by_prefix(self.scope, &id_text)
                .expect("a read");
            prop_assert_eq!(whole.is_some(), self.allowed.contains(id));
            match self.store.unit_by_prefix(self.scope, &id_text[..1]) {
                Ok(found) => {
                    prop_assert!(found.is_none_or(|unit| self.allowed.contains(&unit.unit.id)));
                }
                Err(StoreError::AmbiguousPrefix { candidates, .. }) => {
                    prop_assert!(candidates.iter().all(|id| self.allowed.contains(id)));
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
        Ok(())
    }

    fn graph(&self) -> Result<(), TestCaseError> {
        let ids: Vec<UnitId> = stored(self.store).into_values().collect();
        let units = self.store.units_by_id(self.scope, &ids).expect("a read");
        let found: BTreeSet<UnitId> = units.iter().map(|stored| stored.unit.id).collect();
        prop_assert_eq!(&found, &self.allowed);
        for link in units.iter().flat_map(|stored| &stored.unit.links) {
            prop_assert!(self.allowed.contains(&link.target));
        }
        let links = self.store.links_of(self.scope, &ids).expect("a read");
        prop_assert_eq!(links.len(), ids.len());
        for (from, links) in ids.iter().zip(links) {
            let leads_nowhere = links.is_empty();
            prop_assert!(leads_nowhere || self.allowed.contains(from));
            prop_assert!(links.iter().all(|link| self.allowed.contains(&link.target)));
        }
        Ok(())
    }

    fn entities(&self) -> Result<(), TestCaseError> {
        let mut holders: BTreeMap<Entity, BTreeSet<UnitId>> = BTreeMap::new();
        let units = self.standing.iter().flat_map(|source| &source.units);
        for unit in units.map(|write| &write.unit) {
            let named = [&unit.metadata.applies_to, &unit.governance.attributes];
            let tiers = unit
                .metadata
                .tier_rules
                .keys()
                .map(|tier| Entity::tier(tier));
            for entity in named.into_iter().flat_map(Entity::all).chain(tiers) {
                holders.entry(entity).or_default().insert(unit.id);
            }
        }
        let keys = stored(self.store);
        let mut seen = Vec::new();
        for (entity, mut units) in holders {
            units.retain(|unit| self.allowed.contains(unit));
            let found = self
                .store
                .units_of_entities(self.scope, std::slice::from_ref(&entity));
            let found = found.expect("a read");
            for (key, id) in &keys {
                prop_assert_eq!(found.contains(*key), units.contains(id));
            }
            seen.extend((!units.is_empty()).then_some(entity));
        }
        prop_assert_eq!(self.store.entities(self.scope).expect("a read"), seen);
        Ok(())
    }

    fn sources(&self) -> Result<(), TestCaseError> {
        let allowed = |source: &SourceWrite| {
            let ids = source.units.iter().map(|write| write.unit.id);
            ids.filter(|id| self.allowed.contains(id)).count() as u64
        };
        let expected: BTreeMap<_, _> = self
            .standing
            .iter()
            .map(|source| {
                (
                    (source.source.clone(), source.governance.tenant.clone()),
                    allowed(source),
                )
            })
            .filter(|(_, units)| *units > 0)
            .collect();
        let found = self.store.visible_sources(self.scope).expect("a read");
        let found: BTreeMap<_, _> = found
            .into_iter()
            .map(|record| ((record.source, record.governance.tenant), record.units))
            .collect();
        prop_assert_eq!(found, expected);
        Ok(())
    }

    /// What is asked for by an identity alone, for pruning, knows no time.
    fn sources_at_any_time(&self) -> Result<(), TestCaseError> {
        let identity = &self.scope.identity;
        let mut found = self.store.sources_under(identity, "").expect("a read");
        for write in self.standing {
            let tenant = write.governance.tenant.as_deref();
            let named = self
                .store
                .source(identity, tenant, &write.source)
                .expect("a read");
            let seen = plain_rule::may_see(&write.governance, identity);
            prop_assert_eq!(named.is_some(), seen);
            found.extend(named);
            let by_content = self
                .store
                .sources_by_content(identity, &write.content_sha256);
            found.extend(by_content.expect("a read"));
        }
        for record in found {
            prop_assert!(plain_rule::may_see(&record.governance, identity));
            let write = self.standing.iter().find(|write| {
                write.source == record.source && write.governance.tenant == record.governance.tenant
            });
            let units = &write.expect("a source that is there").units;
            let seen = units
                .iter()
                .filter(|write| plain_rule::may_see(&write.unit.governance, identity));
            prop_assert_eq!(
                record.units,
                seen.count() as u64,
                "units out of sight are counted"
            );
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_path_leads_to_a_forbidden_unit(
        drawn in drawn::sources(),
        scopes in vec(drawn::scope(), 1..6),
    ) {
        let made = temporary();
        let writes = drawn::writes(&drawn, |text| vector(text).to_vec());
        for (at, write) in writes.iter().enumerate() {
            made.store.replace_source(write).expect("a write");
            let standing = drawn::standing(&writes[..=at]);
            for scope in scopes.iter().chain(&scopes) {
                Check::new(&made.store, &standing, scope).every_path()?;
            }
        }
    }

    #[test]
    fn nobody_removes_what_he_may_not_see(
        drawn in drawn::sources(),
        scopes in vec(drawn::scope(), 1..4),
    ) {
        let made = temporary();
        let writes = drawn::writes(&drawn, |text| vector(text).to_vec());
        for write in &writes {
            made.store.replace_source(write).expect("a write");
        }
        let mut standing = drawn::standing(&writes);
        for scope in &scopes {
            let names: BTreeSet<SourceId> = standing.iter().map(|write| write.source.clone()).collect();
            for name in names {
                let removed = made.store.remove_source(scope, &name).expect("a write");
                let seen = |write: &SourceWrite| {
                    write.source == name && plain_rule::may_see(&write.governance, &scope.identity)
                };
                prop_assert_eq!(removed, standing.iter().any(seen));
                // A tenant's own source goes before the common one of the same name.
                let gone = standing.iter().filter(|write| seen(write));
                let gone = gone.max_by_key(|write| write.governance.tenant.clone()).cloned();
                standing.retain(|write| {
                    gone.as_ref().is_none_or(|gone| {
                        (&gone.source, &gone.governance.tenant) != (&write.source, &write.governance.tenant)
                    })
                });
            }
            let left: BTreeSet<UnitId> =
                standing.iter().flat_map(|write| &write.units).map(|write| write.unit.id).collect();
            prop_assert_eq!(stored(&made.store).into_values().collect::<BTreeSet<_>>(), left);
        }
    }
}

#[test]
fn an_empty_list_of_values_admits_nobody() {
    let made = temporary();
    let mut governance = Governance::default();
    governance
        .attributes
        .insert("region".to_owned(), BTreeSet::new());
    let write = drawn::one("closed.md", governance, |text| vector(text).to_vec());
    made.store.replace_source(&write).expect("a write");
    for values in [vec![], vec!["APAC"], vec!["", "APAC", "EMEA"]] {
        let values = values.into_iter().map(str::to_owned).collect();
        let identity = Identity {
            clearance: u32::MAX,
            attributes: [("region".to_owned(), values)].into(),
            ..Identity::default()
        };
        let scope = AccessScope::new(identity, Timestamp::UNIX_EPOCH);
        let check = Check::new(&made.store, std::slice::from_ref(&write), &scope);
        assert!(check.allowed.is_empty());
        check.every_path().expect("nothing to see");
    }
}
