//! Random sources, callers and moments, few enough of each that conflicts are frequent.

use std::collections::BTreeMap;

use ee_store::{SourceWrite, UnitWrite};
use km_core::{
    AccessScope, Attributes, Governance, Identity, Link, LinkKind, SourceId, Timestamp, Unit,
    UnitId, UnitKind, UnitMetadata, Validity, canonical,
};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use sha2::{Digest, Sha256};

use super::plain_rule::VERSIONS;

const NAMES: [&str; 5] = ["a.md", "b.md", "c.md", "d.md", "e.md"];

/// A source as it is drawn. Its links name units by number, wherever they are.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    name: &'static str,
    governance: Governance,
    units: Vec<DrawnUnit>,
}

#[derive(Debug, Clone)]
struct DrawnUnit {
    /// Governance of its own; otherwise the source's.
    governance: Option<Governance>,
    /// What it holds for, and where it says that rules of tiers stand.
    metadata: UnitMetadata,
    links: Vec<(LinkKind, Index)>,
}

fn tenant() -> impl Strategy<Value = Option<String>> {
    option::of(select(vec!["acme".to_owned(), "globex".to_owned()]))
}

/// Attributes with zero to two values each: an empty set admits nobody.
fn attributes() -> impl Strategy<Value = Attributes> {
    let name = select(vec!["region".to_owned(), "tier".to_owned()]);
    let value = select(vec!["APAC".to_owned(), "EMEA".to_owned(), "L5".to_owned()]);
    btree_map(name, btree_set(value, 0..3), 0..2)
}

pub(crate) fn moment() -> impl Strategy<Value = Timestamp> {
    (0_i64..6).prop_map(|day| Timestamp::from_second(day * 86_400).expect("a moment"))
}

fn validity() -> impl Strategy<Value = Validity> {
    (
        option::weighted(0.3, moment()),
        option::weighted(0.3, moment()),
    )
        .prop_map(|(from, until)| Validity::new(from, until).unwrap_or_default())
}

prop_compose! {
    fn governance()(
        tenant in tenant(),
        clearance in 0_u32..3,
        attributes in attributes(),
        domain in option::of(select(vec!["hr.leave", "finance.travel"])),
        tier in option::of(1_u32..3),
        version in select(VERSIONS.to_vec()),
        validity in validity(),
        supersedes in btree_set(select(NAMES.to_vec()).prop_map(SourceId::new), 0..2),
    ) -> Governance {
        Governance {
            tenant,
            clearance,
            attributes,
            domain: domain.map(|path| path.parse().expect("a path")),
            authority_tier: tier.and_then(|tier| tier.try_into().ok()),
            version: version.to_owned(),
            validity,
            supersedes,
        }
    }
}

prop_compose! {
    /// A caller at a moment.
    pub(crate) fn scope()(
        tenant in tenant(),
        clearance in 0_u32..4,
        attributes in attributes(),
        at in moment(),
    ) -> AccessScope {
        AccessScope::new(Identity { tenant, clearance, attributes }, at)
    }
}

fn place() -> impl Strategy<Value = String> {
    select(NAMES.to_vec()).prop_map(str::to_owned)
}

prop_compose! {
    fn unit()(
        governance in option::weighted(0.3, governance()),
        applies_to in attributes(),
        tier_rules in btree_map(select(vec!["L5".to_owned(), "L6".to_owned()]), place(), 0..2),
        links in vec((select(LinkKind::ALL.to_vec()), any::<Index>()), 0..3),
    ) -> DrawnUnit {
        let metadata = UnitMetadata { applies_to, tier_rules, ..UnitMetadata::default() };
        DrawnUnit { governance, metadata, links }
    }
}

prop_compose! {
    fn source()(
        name in select(NAMES.to_vec()),
        governance in governance(),
        units in vec(unit(), 1..4),
    ) -> Drawn {
        Drawn { name, governance, units }
    }
}

/// Sources to write one after another. The later one of a name and tenant replaces the earlier.
pub(crate) fn sources() -> impl Strategy<Value = Vec<Drawn>> {
    vec(source(), 1..9)
}

impl Drawn {
    /// What the unit at `place` says: words that all units share, and one of its own.
    fn text(&self, place: usize) -> String {
        let tenant = self.governance.tenant.as_deref().unwrap_or("everybody");
        let own = self.name.split('.').next().unwrap_or_default();
        format!("annual leave rule, kept as word{own}{tenant}{place}")
    }

    fn id(&self, place: usize) -> UnitId {
        UnitId::compute(
            self.governance.tenant.as_deref(),
            &SourceId::new(self.name),
            &self.governance.version,
            &canonical(&self.text(place)),
            0,
        )
    }

    fn unit(&self, place: usize, drawn: &DrawnUnit, all: &[UnitId]) -> Unit {
        let links = drawn.links.iter().map(|(kind, index)| Link {
            kind: *kind,
            target: *index.get(all),
        });
        let mut governance = drawn.governance.clone().unwrap_or(self.governance.clone());
        governance.tenant.clone_from(&self.governance.tenant);
        Unit {
            id: self.id(place),
            source: SourceId::new(self.name),
            kind: UnitKind::Section,
            content: self.text(place),
            summary: self.text(place),
            metadata: drawn.metadata.clone(),
            governance,
            links: links.collect(),
        }
    }
}

/// The sources as they are written, one after another; `embed` gives each text its vector.
pub(crate) fn writes(drawn: &[Drawn], embed: impl Fn(&str) -> Vec<f32>) -> Vec<SourceWrite> {
    let ids = |drawn: &Drawn| {
        (0..drawn.units.len())
            .map(|place| drawn.id(place))
            .collect()
    };
    let all: Vec<UnitId> = drawn.iter().flat_map::<Vec<UnitId>, _>(ids).collect();
    let write = |drawn: &Drawn| {
        let units = drawn.units.iter().enumerate().map(|(place, unit)| {
            let unit = drawn.unit(place, unit, &all);
            UnitWrite {
                embedded_sha256: Sha256::digest(&unit.content).into(),
                embedding: Some(embed(&unit.content).into()),
                unit,
            }
        });
        SourceWrite {
            source: SourceId::new(drawn.name),
            title: Some(format!("title of {}", drawn.text(0))),
            governance: drawn.governance.clone(),
            content_sha256: drawn.name.to_owned(),
            recipe_sha256: String::new(),
            root: None,
            units: units.collect(),
        }
    };
    drawn.iter().map(write).collect()
}

/// One source with one unit, under this governance.
pub(crate) fn one(
    name: &'static str,
    governance: Governance,
    embed: impl Fn(&str) -> Vec<f32>,
) -> SourceWrite {
    let unit = DrawnUnit {
        governance: None,
        metadata: UnitMetadata::default(),
        links: Vec::new(),
    };
    let drawn = Drawn {
        name,
        governance,
        units: vec![unit],
    };
    writes(&[drawn], embed).remove(0)
}

/// What is there after these writes: the last one of each name and tenant.
pub(crate) fn standing(writes: &[SourceWrite]) -> Vec<SourceWrite> {
    let last: BTreeMap<_, _> = writes
        .iter()
        .map(|write| {
            (
                (write.source.clone(), write.governance.tenant.clone()),
                write,
            )
        })
        .collect();
    last.into_values().cloned().collect()
}
