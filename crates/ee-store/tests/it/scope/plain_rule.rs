//! Who may see what, said again in the plainest way: over everything at once, by counting on
//! fingers. Shares no code with the rule in `km-core` or with the store; only the types are the
//! same. It is slow and meant to be read.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use ee_store::SourceWrite;
use km_core::{Governance, Identity, Timestamp, UnitId};

/// Versions in their natural order, the only ones that may be drawn.
pub(crate) const VERSIONS: [&str; 4] = ["", "2", "9", "10"];

/// The units that exist for this identity at this moment.
pub(crate) fn visible(
    sources: &[SourceWrite],
    identity: &Identity,
    at: Timestamp,
) -> BTreeSet<UnitId> {
    let open: Vec<&SourceWrite> = sources
        .iter()
        .filter(|source| !units_of(source, identity, at).is_empty())
        .collect();
    let shown = open.iter().filter(|source| {
        let superseded = open.iter().any(|other| replaces(other, source, &open));
        let outranked = open.iter().any(|other| {
            let stands = !open.iter().any(|third| replaces(third, other, &open));
            let domain = source.governance.domain.as_ref();
            domain.is_some()
                && domain == other.governance.domain.as_ref()
                && stands
                && rank(other) < rank(source)
        });
        !superseded && !outranked
    });
    shown
        .flat_map(|source| units_of(source, identity, at))
        .collect()
}

/// Whether the identity may see what is governed like this, whenever it holds.
pub(crate) fn may_see(governance: &Governance, identity: &Identity) -> bool {
    if governance.tenant.is_some() && governance.tenant != identity.tenant {
        return false;
    }
    if identity.clearance < governance.clearance {
        return false;
    }
    for (name, allowed) in &governance.attributes {
        let held = identity.attributes.get(name).cloned().unwrap_or_default();
        if held.intersection(allowed).next().is_none() {
            return false;
        }
    }
    true
}

/// Whether `caller` may read what `owner` wrote or was shown.
pub(crate) fn may_read_of(caller: &Identity, owner: &Identity) -> bool {
    let held = |name: &String| caller.attributes.get(name).cloned().unwrap_or_default();
    let attributes = owner.attributes.iter();
    caller.tenant == owner.tenant
        && caller.clearance >= owner.clearance
        && attributes
            .into_iter()
            .all(|(name, values)| held(name).is_superset(values))
}

fn holds(governance: &Governance, at: Timestamp) -> bool {
    let started = governance
        .validity
        .effective_from
        .is_none_or(|from| at >= from);
    let ended = governance
        .validity
        .expires_at
        .is_some_and(|until| at >= until);
    started && !ended
}

/// The units of a source that may be seen, other sources apart.
fn units_of(source: &SourceWrite, identity: &Identity, at: Timestamp) -> Vec<UnitId> {
    let passes = |governance: &Governance| may_see(governance, identity) && holds(governance, at);
    let units = source.units.iter().map(|write| &write.unit);
    let passing = units.filter(|unit| passes(&source.governance) && passes(&unit.governance));
    passing.map(|unit| unit.id).collect()
}

fn names(one: &SourceWrite, other: &SourceWrite) -> bool {
    !std::ptr::eq(one, other) && one.governance.supersedes.contains(&other.source)
}

/// Whether a chain of `supersedes` leads from one source to the other.
fn reaches(one: &SourceWrite, other: &SourceWrite, open: &[&SourceWrite]) -> bool {
    let mut reached = vec![one];
    let mut at = 0;
    while let Some(from) = reached.get(at).copied() {
        for to in open {
            if names(from, to) && !reached.iter().any(|known| std::ptr::eq(*known, *to)) {
                reached.push(to);
            }
        }
        at += 1;
    }
    let goes_on = |from: &&SourceWrite| names(from, other);
    reached.iter().any(goes_on)
}

/// Whether `one` takes the place of `other`: a chain leads to it and none leads back; or both lie
/// on a cycle, and `one` ranks first.
fn replaces(one: &SourceWrite, other: &SourceWrite, open: &[&SourceWrite]) -> bool {
    reaches(one, other, open) && (!reaches(other, one, open) || rank(one) < rank(other))
}

/// Sorts the source that has the word first.
fn rank(source: &SourceWrite) -> impl Ord {
    let governance = &source.governance;
    let tier = governance.authority_tier.map_or(u32::MAX, u32::from);
    let version = VERSIONS
        .iter()
        .position(|known| *known == governance.version);
    (
        tier,
        Reverse(version),
        Reverse(governance.validity.effective_from),
        source.source.clone(),
        governance.tenant.clone(),
    )
}
