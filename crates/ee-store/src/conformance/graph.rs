//! What every store's graph must do.

use std::collections::BTreeSet;

use km_core::{Attributes, Entity, Governance, Identity, Link, LinkKind, UnitId};

use super::sample::{governed, identity, scope, source};
use crate::{GraphStore, KnowledgeStore, SourceWrite};

/// Checks a store's graph; `make` gives an empty store.
pub fn graph_store<S: KnowledgeStore + GraphStore>(make: impl Fn() -> S) {
    links_have_visible_ends(&make());
    entities_come_from_metadata_and_governance(&make());
    what_a_unit_names_changes_with_it(&make());
}

fn attributes(pairs: &[(&str, &str)]) -> Attributes {
    let mut attributes = Attributes::new();
    for (name, value) in pairs {
        let values: &mut BTreeSet<String> = attributes.entry((*name).to_owned()).or_default();
        values.insert((*value).to_owned());
    }
    attributes
}

fn secret() -> Governance {
    Governance {
        clearance: 2,
        ..Governance::default()
    }
}

fn naming(name: &str, governance: &Governance, pairs: &[(&str, &str)]) -> SourceWrite {
    let mut write = governed(name, governance, &[name]);
    for unit in &mut write.units {
        unit.unit.metadata.applies_to = attributes(pairs);
    }
    write
}

fn shown(store: &dyn GraphStore, who: &Identity) -> Vec<String> {
    let entities = store.entities(&scope(who, 0)).unwrap();
    entities.iter().map(ToString::to_string).collect()
}

fn links_have_visible_ends<S: KnowledgeStore + GraphStore>(store: &S) {
    let hidden = governed("secret", &secret(), &["hidden"]);
    let mut open = source("open", &["one", "two"]);
    let [one, two] = [0, 1].map(|at| open.units.get(at).unwrap().unit.id);
    let secret = hidden.units.first().unwrap().unit.id;
    let link = |kind, target| Link { kind, target };
    open.units.first_mut().unwrap().unit.links = vec![
        link(LinkKind::References, secret),
        link(LinkKind::Next, two),
        link(LinkKind::Defines, UnitId::from_bytes([9; 16])),
    ];
    store.replace_source(&hidden).unwrap();
    store.replace_source(&open).unwrap();
    let kinds = |who: &Identity| -> Vec<Vec<LinkKind>> {
        let links = store.links_of(&scope(who, 0), &[secret, one, two]).unwrap();
        let kinds = |links: &Vec<Link>| links.iter().map(|link| link.kind).collect();
        links.iter().map(kinds).collect()
    };
    let (none, next) = (Vec::new(), vec![LinkKind::Next]);
    assert_eq!(
        kinds(&Identity::default()),
        [none.clone(), next, none.clone()]
    );
    let both = vec![LinkKind::References, LinkKind::Next];
    assert_eq!(kinds(&identity(None, 2)), [none.clone(), both, none]);
    let found = store.units_by_id(&scope(&Identity::default(), 0), &[two, secret, one]);
    let found: Vec<UnitId> = found.unwrap().iter().map(|unit| unit.unit.id).collect();
    assert_eq!(
        found,
        [two, one],
        "in the order asked for, without the hidden one"
    );
}

fn entities_come_from_metadata_and_governance<S: KnowledgeStore + GraphStore>(store: &S) {
    let restricted = Governance {
        attributes: attributes(&[("region", "EMEA")]),
        ..Governance::default()
    };
    store
        .replace_source(&naming("a", &Governance::default(), &[("region", "APAC")]))
        .unwrap();
    store
        .replace_source(&naming("b", &secret(), &[("region", "LATAM")]))
        .unwrap();
    store
        .replace_source(&governed("c", &restricted, &["c"]))
        .unwrap();
    let mut tiers = source("d", &["d"]);
    let rules = &mut tiers.units.first_mut().unwrap().unit.metadata.tier_rules;
    rules.insert("L5".to_owned(), "a#top".to_owned());
    store.replace_source(&tiers).unwrap();
    let anybody = Identity::default();
    assert_eq!(shown(store, &anybody), ["region=APAC", "tier=L5"]);
    assert_eq!(
        shown(store, &identity(None, 2)),
        ["region=APAC", "region=LATAM", "tier=L5"]
    );
    let european = Identity {
        attributes: attributes(&[("region", "EMEA")]),
        ..Identity::default()
    };
    assert_eq!(
        shown(store, &european),
        ["region=APAC", "region=EMEA", "tier=L5"]
    );
    let count = |who: &Identity, name: &str, value: &str| {
        let entity = Entity {
            attribute: name.to_owned(),
            value: value.to_owned(),
        };
        let units = store.units_of_entities(&scope(who, 0), &[entity]).unwrap();
        (0..100).filter(|key| units.contains(*key)).count()
    };
    assert_eq!(count(&anybody, "region", "APAC"), 1);
    assert_eq!(count(&anybody, "region", "LATAM"), 0, "its unit is hidden");
    assert_eq!(count(&european, "region", "EMEA"), 1);
    assert_eq!(count(&anybody, "tier", "L5"), 1);
    assert_eq!(count(&anybody, "tier", "L6"), 0);
}

fn what_a_unit_names_changes_with_it<S: KnowledgeStore + GraphStore>(store: &S) {
    let anybody = Identity::default();
    let write = |pairs: &[(&str, &str)]| {
        store
            .replace_source(&naming("a", &Governance::default(), pairs))
            .unwrap();
    };
    write(&[("region", "APAC")]);
    write(&[("region", "EMEA"), ("line", "rail")]);
    assert_eq!(shown(store, &anybody), ["line=rail", "region=EMEA"]);
    store.replace_source(&source("a", &[])).unwrap();
    assert!(shown(store, &anybody).is_empty());
}
