//! Edges from definitions to where their terms are used.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, MatchKind};
use km_core::{Link, LinkKind, Unit, UnitKind};

use crate::patterns::{defined_term, stands_alone};

/// A term that is used more often is no news anywhere.
const MOST_USES: usize = 32;

/// Links each definition to the units of its source that use its term.
pub(crate) fn link_uses(units: &mut [Unit]) {
    let (definitions, terms) = first_definitions(units);
    for (term, uses) in uses(units, &terms).into_iter().enumerate() {
        let Some(definition) = definitions.get(term).and_then(|at| units.get_mut(*at)) else {
            continue;
        };
        let links = uses.into_iter().filter(|link| link.target != definition.id);
        definition.links.extend(links);
    }
}

/// The definitions with their terms; of several definitions of one term the first.
fn first_definitions(units: &[Unit]) -> (Vec<usize>, Vec<String>) {
    let mut seen = HashSet::new();
    let definitions = units.iter().enumerate();
    definitions
        .filter(|(_, unit)| unit.kind == UnitKind::Definition)
        .filter_map(|(at, unit)| {
            let heading = unit.metadata.section_path.last();
            let term = defined_term(&unit.content, heading.map_or("", String::as_str))?;
            seen.insert(term.to_lowercase()).then_some((at, term))
        })
        .unzip()
}

/// Per term the links to the units in which it stands as words of its own, in reading order.
fn uses(units: &[Unit], terms: &[String]) -> Vec<Vec<Link>> {
    let mut uses: Vec<Vec<Link>> = vec![Vec::new(); terms.len()];
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(terms);
    let Ok(automaton) = automaton else {
        return uses;
    };
    if terms.is_empty() {
        return uses;
    }
    for unit in units {
        let link = Link {
            kind: LinkKind::Defines,
            target: unit.id,
        };
        for found in automaton.find_overlapping_iter(&unit.content) {
            let Some(links) = uses.get_mut(found.pattern().as_usize()) else {
                continue;
            };
            let wanted = links.len() < MOST_USES && links.last() != Some(&link);
            if wanted && stands_alone(&unit.content, found.range()) {
                links.push(link);
            }
        }
    }
    uses
}
