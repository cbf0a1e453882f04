//! Links between sources, from what their texts name.
//!
//! A text may name a source that comes later, changes, or goes, so that links cannot be settled when
//! a source is written. At the end of a run every source that names a touched one, or was touched
//! itself, gets the links that hold now.

use std::collections::{HashMap, HashSet};

use ee_ingest::heading_anchor;
use ee_store::{SourceWrite, TenantSource};
use km_core::{Administrator, Link, LinkKind, SourceId, Unit, UnitId};

use super::run::Run;
use crate::PipelineError;

/// The units of a source in reading order, each with the headings above it.
type Outline = Vec<(UnitId, Vec<String>)>;

/// Outlines of sources that were looked up; absent ones are not there.
type Outlines = HashMap<TenantSource, Option<Outline>>;

impl Run<'_> {
    /// Makes the links between sources that hold after this run. This is done for a cancelled run
    /// too, because the next one takes what was written for unchanged.
    pub(super) fn link(&self) -> Result<(), PipelineError> {
        if self.touched.is_empty() {
            return Ok(());
        }
        let store = &self.base.parts.store;
        let mut outlines = Outlines::new();
        for (source, names) in store.referring_sources(Administrator::assume())? {
            let names_touched = |name: &String| {
                let (name, _) = split(name);
                self.touched.contains(&SourceId::new(name))
            };
            if self.touched.contains(&source.source) || names.iter().any(names_touched) {
                self.link_source(&source, &mut outlines)?;
            }
        }
        Ok(())
    }

    fn link_source(
        &self,
        source: &TenantSource,
        outlines: &mut Outlines,
    ) -> Result<(), PipelineError> {
        let store = &self.base.parts.store;
        let Some(mut write) = store.stored_source(Administrator::assume(), source)? else {
            return Ok(());
        };
        let own: HashSet<UnitId> = write.units.iter().map(|unit| unit.unit.id).collect();
        let mut changed = false;
        for unit in &mut write.units {
            let links = self.links_of(&unit.unit, source.tenant.as_deref(), &own, outlines)?;
            changed |= links != unit.unit.links;
            unit.unit.links = links;
        }
        if changed {
            store.replace_source(&write)?;
        }
        Ok(())
    }

    /// The links inside the unit's source as they are, and those to other sources as they hold now.
    fn links_of(
        &self,
        unit: &Unit,
        tenant: Option<&str>,
        own: &HashSet<UnitId>,
        outlines: &mut Outlines,
    ) -> Result<Vec<Link>, PipelineError> {
        let inside = |link: &Link| link.kind != LinkKind::References || own.contains(&link.target);
        let mut links: Vec<Link> = unit.links.iter().copied().filter(inside).collect();
        for name in &unit.metadata.references {
            let target = self.target(name, tenant, outlines)?;
            let link = target.map(|target| Link {
                kind: LinkKind::References,
                target,
            });
            links.extend(link.filter(|link| link.target != unit.id && !links.contains(link)));
        }
        Ok(links)
    }

    /// The unit that a name leads to: under its anchor, or else the first; in a source of the same
    /// tenant, or else in a common one.
    fn target(
        &self,
        name: &str,
        tenant: Option<&str>,
        outlines: &mut Outlines,
    ) -> Result<Option<UnitId>, PipelineError> {
        let (name, anchor) = split(name);
        let own = TenantSource {
            tenant: tenant.map(str::to_owned),
            source: SourceId::new(name),
        };
        let common = TenantSource {
            tenant: None,
            source: SourceId::new(name),
        };
        for key in [own, common] {
            if !outlines.contains_key(&key) {
                let stored = self
                    .base
                    .parts
                    .store
                    .stored_source(Administrator::assume(), &key)?;
                outlines.insert(key.clone(), stored.map(outline));
            }
            if let Some(Some(outline)) = outlines.get(&key) {
                return Ok(unit_at(outline, anchor));
            }
        }
        Ok(None)
    }
}

fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once('#')
        .map_or((name, None), |(name, anchor)| (name, Some(anchor)))
}

fn outline(write: SourceWrite) -> Outline {
    let units = write.units.into_iter().map(|unit| unit.unit);
    units
        .map(|unit| (unit.id, unit.metadata.section_path))
        .collect()
}

fn unit_at(outline: &Outline, anchor: Option<&str>) -> Option<UnitId> {
    let under = |path: &Vec<String>| {
        anchor.is_some_and(|anchor| path.iter().any(|heading| heading_anchor(heading) == anchor))
    };
    let found = outline
        .iter()
        .find(|(_, path)| under(path))
        .or(outline.first());
    found.map(|(id, _)| *id)
}
