//! What the cross-encoder reads of a candidate.

use km_core::{Attributes, Entity, Unit};

use super::Candidate;

/// The texts of all candidates, in their order. A fact is read together with the passage that
/// leads to it, and what holds for a held entity says so.
pub(super) fn pair_texts(
    candidates: &[Candidate],
    leaders: &[Option<usize>],
    held: &Attributes,
) -> Vec<String> {
    let pairs = candidates.iter().zip(leaders);
    let text = |(candidate, leader): (&Candidate, &Option<usize>)| {
        let own = unit_text(&candidate.unit.unit, held);
        let leader = leader.and_then(|place| candidates.get(place));
        match leader {
            Some(leader) => {
                let tier = entities(held, |entity| entity.attribute == Entity::TIER);
                let leading = unit_text(&leader.unit.unit, held);
                format!("{leading}\n{own}\n{tier}")
            }
            None => own,
        }
    };
    pairs.map(text).collect()
}

/// Title and headings on a line, with the held entities that the unit holds for, then the text.
fn unit_text(unit: &Unit, held: &Attributes) -> String {
    let mut headings: Vec<&str> = Vec::new();
    let title = unit.metadata.title.iter();
    for heading in title.chain(&unit.metadata.section_path) {
        if !headings.contains(&heading.as_str()) {
            headings.push(heading);
        }
    }
    let applies = |entity: &Entity| {
        let values = unit.metadata.applies_to.get(&entity.attribute);
        values.is_some_and(|values| values.contains(&entity.value))
    };
    let context = [headings.join(" > "), entities(held, applies)];
    let context: Vec<&str> = context.iter().map(String::as_str).collect();
    let lines = context.into_iter().filter(|line| !line.is_empty());
    lines
        .chain([unit.content.as_str()])
        .collect::<Vec<_>>()
        .join("\n")
}

/// Held entities by value, for example `APAC, L5`.
fn entities(held: &Attributes, wanted: impl Fn(&Entity) -> bool) -> String {
    let named = Entity::all(held).filter(wanted);
    named
        .map(|entity| entity.value)
        .collect::<Vec<_>>()
        .join(", ")
}
