//! From groups to units: pieces, ids, places, links.

use km_core::{Governance, Link, LinkKind, SourceId, Unit, UnitId, UnitMetadata, canonical};
use rustc_hash::FxHashMap;

use crate::Relations;
use crate::context::heading_context;
use crate::mapped::MappedText;
use crate::offsets::OffsetMap;
use crate::outline::{Group, Outline};
use crate::split::Splitter;
use crate::summary::Summariser;

/// What all units of a source have in common.
pub(crate) struct SourceFacts<'a> {
    pub(crate) source: &'a SourceId,
    pub(crate) title: Option<&'a str>,
    pub(crate) governance: &'a Governance,
    pub(crate) relations: &'a Relations,
    pub(crate) offsets: Option<&'a OffsetMap>,
}

/// The units of a source, with the targets that links inside them name.
#[derive(Default)]
pub(crate) struct Assembled {
    pub(crate) units: Vec<Unit>,
    pub(crate) references: Vec<(UnitId, String)>,
}

/// Cuts the groups, and makes units of the pieces.
pub(crate) fn assemble(
    outline: &Outline,
    facts: &SourceFacts<'_>,
    splitter: &Splitter<'_>,
    summariser: &Summariser<'_>,
) -> Assembled {
    let mut assembled = Assembled::default();
    // Per section the position of its first unit.
    let mut heads = vec![None; outline.sections.len()];
    let mut occurrences: FxHashMap<String, u64> = FxHashMap::default();
    let mut parents = Vec::new();
    for group in &outline.groups {
        let metadata = metadata(group, outline, facts);
        let context = heading_context(&metadata, splitter);
        let room = splitter.window().saturating_sub(splitter.tokens(&context));
        for (at, piece) in splitter.pieces(group, room).iter().enumerate() {
            let position = assembled.units.len();
            parents.push(parent(group.section, position, outline, &mut heads));
            let unit = unit(piece, group, &metadata, facts, &mut occurrences, summariser);
            if at == 0 {
                let targets = group.references.iter().cloned();
                assembled
                    .references
                    .extend(targets.map(|target| (unit.id, target)));
            }
            assembled.units.push(unit);
        }
    }
    link(&mut assembled.units, &parents);
    assembled
}

fn metadata(group: &Group, outline: &Outline, facts: &SourceFacts<'_>) -> UnitMetadata {
    let section = outline.sections.get(group.section);
    UnitMetadata {
        title: facts.title.map(str::to_owned),
        section_path: section.map_or_else(Vec::new, |section| section.path.clone()),
        references: Vec::new(),
        applies_to: facts.relations.applies_to.clone(),
        tier_rules: facts.relations.tier_rules.clone(),
        page: group.page,
        span: None,
        language: group.language.clone(),
        speaker: group.speaker.clone(),
        said_at: group.said_at,
    }
}

fn unit(
    piece: &MappedText,
    group: &Group,
    metadata: &UnitMetadata,
    facts: &SourceFacts<'_>,
    occurrences: &mut FxHashMap<String, u64>,
    summariser: &Summariser<'_>,
) -> Unit {
    let content = canonical(piece.as_str());
    let occurrence = match occurrences.get_mut(content.as_str()) {
        Some(seen) => {
            *seen += 1;
            *seen
        }
        None => *occurrences.entry(content.as_str().to_owned()).or_insert(0),
    };
    let governance = facts.governance;
    let tenant = governance.tenant.as_deref();
    let id = UnitId::compute(
        tenant,
        facts.source,
        &governance.version,
        &content,
        occurrence,
    );
    let mut metadata = metadata.clone();
    let place = piece.source(&(0..piece.as_str().len()));
    metadata.span = place
        .zip(facts.offsets)
        .map(|(place, offsets)| offsets.span(place));
    let summary = match &group.summary {
        Some(stated) => stated.clone(),
        None => summariser.summarise(group.kind, content.as_str(), &metadata),
    };
    Unit {
        id,
        source: facts.source.clone(),
        kind: group.kind,
        content: content.into_string(),
        summary,
        metadata,
        governance: governance.clone(),
        links: Vec::new(),
    }
}

/// The position of the unit that heads the section; for that unit itself, of the one that heads
/// the nearest section around it.
fn parent(
    section: usize,
    position: usize,
    outline: &Outline,
    heads: &mut [Option<usize>],
) -> Option<usize> {
    if section == 0 {
        return None;
    }
    if let Some(Some(head)) = heads.get(section) {
        return Some(*head);
    }
    if let Some(head) = heads.get_mut(section) {
        *head = Some(position);
    }
    let mut at = section;
    while let Some(outer) = outline.sections.get(at).and_then(|section| section.parent) {
        if let Some(Some(head)) = heads.get(outer) {
            return Some(*head);
        }
        at = outer;
    }
    None
}

/// Links each unit to the one before, the one after, and the one that heads its section.
fn link(units: &mut [Unit], parents: &[Option<usize>]) {
    let ids: Vec<UnitId> = units.iter().map(|unit| unit.id).collect();
    let at = |position: Option<usize>| position.and_then(|position| ids.get(position)).copied();
    for (position, unit) in units.iter_mut().enumerate() {
        let links = [
            (LinkKind::Next, at(position.checked_add(1))),
            (LinkKind::Previous, at(position.checked_sub(1))),
            (
                LinkKind::Parent,
                at(parents.get(position).copied().flatten()),
            ),
        ];
        let links = links
            .into_iter()
            .filter_map(|(kind, target)| Some((kind, target?)));
        unit.links
            .extend(links.map(|(kind, target)| Link { kind, target }));
    }
}
