//! Links that texts make to each other.

use std::collections::HashMap;

use km_core::{Link, LinkKind, SourceId, Unit, UnitId};

/// A link from a unit to another source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The unit that points.
    pub from: UnitId,
    /// The source it points at.
    pub source: SourceId,
    /// The heading it points at, as its anchor: lower case, hyphens for spaces.
    pub anchor: Option<String>,
}

/// Turns links inside the source into edges and returns those to other sources. Anchors that no
/// heading has are noted.
pub(crate) fn resolve_references(
    source: &SourceId,
    units: &mut [Unit],
    targets: Vec<(UnitId, String)>,
    notes: &mut Vec<String>,
) -> Vec<Reference> {
    let mut references = Vec::new();
    if targets.is_empty() {
        return references;
    }
    let anchors = anchors(units);
    let mut edges: HashMap<UnitId, Vec<UnitId>> = HashMap::new();
    for (from, target) in targets {
        let (path, anchor) = match target.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor.to_lowercase())),
            None => (target.as_str(), None),
        };
        if !path.is_empty() {
            let other = relative_to(source, path);
            references.extend(other.map(|source| Reference {
                from,
                source,
                anchor,
            }));
        } else if let Some(anchor) = anchor {
            match anchors.get(&anchor) {
                Some(to) => edges.entry(from).or_default().push(*to),
                None => notes.push(format!("a link leads to `#{anchor}`, which no heading has")),
            }
        }
    }
    for unit in units {
        for target in edges.remove(&unit.id).unwrap_or_default() {
            let link = Link {
                kind: LinkKind::References,
                target,
            };
            if target != unit.id && !unit.links.contains(&link) {
                unit.links.push(link);
            }
        }
    }
    references
}

/// The first unit under each heading, by anchor.
fn anchors(units: &[Unit]) -> HashMap<String, UnitId> {
    let mut anchors = HashMap::new();
    for unit in units {
        for heading in &unit.metadata.section_path {
            anchors.entry(heading_anchor(heading)).or_insert(unit.id);
        }
    }
    anchors
}

/// The anchor that renderers give a heading: lower case, spaces as hyphens, no other marks.
pub(crate) fn heading_anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

/// The name of a source and the anchor of a heading in it, from a reference as
/// [`km_core::UnitMetadata`] holds them.
pub fn split_reference(reference: &str) -> (&str, Option<&str>) {
    reference
        .split_once('#')
        .map_or((reference, None), |(name, anchor)| (name, Some(anchor)))
}

/// Whether one of these headings has this anchor.
pub fn stands_under(section_path: &[String], anchor: &str) -> bool {
    section_path
        .iter()
        .any(|heading| heading_anchor(heading) == anchor)
}

/// A place as it is written in `stated_in`, as the name of a source with `#` and an anchor where it
/// names a heading; an anchor alone is in `source`. Nothing where it leaves the root.
pub(crate) fn place_of(written: &str, stated_in: &SourceId, source: &SourceId) -> Option<String> {
    let (path, anchor) = match written.trim().split_once('#') {
        Some((path, anchor)) => (path.trim(), heading_anchor(anchor)),
        None => (written.trim(), String::new()),
    };
    let named = match path {
        "" => source.clone(),
        path => relative_to(stated_in, path)?,
    };
    match anchor.as_str() {
        "" => Some(named.as_str().to_owned()),
        anchor => Some(format!("{named}#{anchor}")),
    }
}

/// The source that a relative path leads to; nothing where it leaves the root.
fn relative_to(source: &SourceId, path: &str) -> Option<SourceId> {
    let path = path.split('?').next().unwrap_or(path);
    let folder = source
        .as_str()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let base = if path.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let name = parts.join("/").replace("%20", " ");
    (!name.is_empty()).then(|| SourceId::new(name))
}
