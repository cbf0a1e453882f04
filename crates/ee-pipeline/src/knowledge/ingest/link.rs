//! Links between sources, from what their texts and metadata name.
//!
//! A source may name one that comes later, changes, or goes, so that links cannot be settled when
//! a source is written. At the end of a run every source that names a touched one, or was touched
//! itself, gets the links that hold now.

use std::collections::{BTreeSet, HashMap, HashSet};

use ee_ingest::{split_reference, stands_under};
use ee_store::{EngineStore, SourceWrite, TenantSource};
use km_core::{Administrator, Link, LinkKind, SourceId, Unit, UnitId};

use super::run::Run;
use crate::PipelineError;

/// The units of a source in reading order, each with the headings above it.
type Outline = Vec<(UnitId, Vec<String>)>;

/// Settles links, one source after the other.
struct Linker<'a> {
    store: &'a dyn EngineStore,
    /// Outlines of sources that were looked up; absent ones are not there.
    outlines: HashMap<TenantSource, Option<Outline>>,
    /// Places that metadata names and that are not there, by the source that names them.
    notes: BTreeSet<(SourceId, String)>,
}

impl Run<'_> {
    /// Makes the links between sources that hold after this run. This is done for a cancelled run
    /// too, because the next one takes what was written for unchanged.
    pub(super) fn link(&mut self) -> Result<(), PipelineError> {
        if self.ledger.touched.is_empty() {
            return Ok(());
        }
        let mut linker = Linker {
            store: &*self.base.parts.store,
            outlines: HashMap::new(),
            notes: BTreeSet::new(),
        };
        for (source, names) in linker.store.referring_sources(Administrator::assume())? {
            if self.concerns(&source, &names) {
                linker.link_source(&source)?;
            }
        }
        self.ledger.report.notes.extend(linker.notes);
        Ok(())
    }

    /// Whether the run touched a source or one that it names.
    fn concerns(&self, source: &TenantSource, names: &[String]) -> bool {
        let mut names = names
            .iter()
            .map(|name| SourceId::new(split_reference(name).0));
        self.ledger.touched.contains(&source.source)
            || names.any(|name| self.ledger.touched.contains(&name))
    }
}

impl Linker<'_> {
    fn link_source(&mut self, source: &TenantSource) -> Result<(), PipelineError> {
        let Some(mut write) = self.store.stored_source(Administrator::assume(), source)? else {
            return Ok(());
        };
        let own: HashSet<UnitId> = write.units.iter().map(|unit| unit.unit.id).collect();
        let mut superseded = self.superseded(&write)?;
        let mut changed = false;
        for unit in &mut write.units {
            let mut links = inner_links(&unit.unit, &own);
            let outer = self.references(&unit.unit)?.into_iter();
            let outer = outer.chain(self.tier_rules(&unit.unit)?);
            // The first unit speaks for the source as a whole.
            for link in outer.chain(superseded.drain(..)) {
                if link.target != unit.unit.id && !links.contains(&link) {
                    links.push(link);
                }
            }
            changed |= links != unit.unit.links;
            unit.unit.links = links;
        }
        if changed {
            self.store.replace_source(&write)?;
        }
        Ok(())
    }

    /// Where the unit's text leads. An anchor that is not there leads to the source's beginning.
    fn references(&mut self, unit: &Unit) -> Result<Vec<Link>, PipelineError> {
        let mut links = Vec::new();
        for name in &unit.metadata.references {
            let (name, anchor) = split_reference(name);
            let target = self.outline(name, unit.governance.tenant.as_deref())?;
            let target = target.and_then(|outline| under(outline, anchor).or(first(outline)));
            links.extend(target.map(to(LinkKind::References)));
        }
        Ok(links)
    }

    /// Where the rules of the unit's tiers stand. One that is not there is noted: a tier must not
    /// be led to some other rule.
    fn tier_rules(&mut self, unit: &Unit) -> Result<Vec<Link>, PipelineError> {
        let mut links = Vec::new();
        for (tier, place) in &unit.metadata.tier_rules {
            let (name, anchor) = split_reference(place);
            let outline = self.outline(name, unit.governance.tenant.as_deref())?;
            let missing = if outline.is_some() {
                "heading"
            } else {
                "source"
            };
            let target = outline.and_then(|outline| match anchor {
                Some(_) => under(outline, anchor),
                None => first(outline),
            });
            if target.is_none() {
                let note = format!("tier_rule `{tier}` leads to `{place}`: no such {missing}");
                self.notes.insert((unit.source.clone(), note));
            }
            links.extend(target.map(to(LinkKind::TierRule)));
        }
        Ok(links)
    }

    /// The beginnings of the sources that this one supersedes.
    fn superseded(&mut self, write: &SourceWrite) -> Result<Vec<Link>, PipelineError> {
        let mut links = Vec::new();
        let others = write.governance.supersedes.iter();
        for name in others.filter(|name| **name != write.source) {
            let outline = self.outline(name.as_str(), write.governance.tenant.as_deref())?;
            let target = outline.and_then(first);
            links.extend(target.map(to(LinkKind::Supersedes)));
        }
        Ok(links)
    }

    /// The units of a source of the same tenant, or else of a common one.
    fn outline(
        &mut self,
        name: &str,
        tenant: Option<&str>,
    ) -> Result<Option<&Outline>, PipelineError> {
        let key = |tenant: Option<&str>| TenantSource {
            tenant: tenant.map(str::to_owned),
            source: SourceId::new(name),
        };
        let (own, common) = (key(tenant), key(None));
        for key in [&own, &common] {
            if !self.outlines.contains_key(key) {
                let stored = self.store.stored_source(Administrator::assume(), key)?;
                self.outlines.insert(key.clone(), stored.map(outline_of));
            }
        }
        let known = |key| self.outlines.get(key).and_then(Option::as_ref);
        Ok(known(&own).or_else(|| known(&common)))
    }
}

/// The links that lead to units of the same source and come from its text.
fn inner_links(unit: &Unit, own: &HashSet<UnitId>) -> Vec<Link> {
    let inner = |link: &&Link| match link.kind {
        LinkKind::References => own.contains(&link.target),
        LinkKind::Supersedes | LinkKind::TierRule => false,
        _ => true,
    };
    unit.links.iter().filter(inner).copied().collect()
}

fn to(kind: LinkKind) -> impl Fn(UnitId) -> Link {
    move |target| Link { kind, target }
}

fn outline_of(write: SourceWrite) -> Outline {
    let units = write.units.into_iter().map(|unit| unit.unit);
    units
        .map(|unit| (unit.id, unit.metadata.section_path))
        .collect()
}

fn first(outline: &Outline) -> Option<UnitId> {
    outline.first().map(|(id, _)| *id)
}

/// The first unit under the heading with this anchor.
fn under(outline: &Outline, anchor: Option<&str>) -> Option<UnitId> {
    let anchor = anchor?;
    let found = outline.iter().find(|(_, path)| stands_under(path, anchor));
    found.map(|(id, _)| *id)
}
