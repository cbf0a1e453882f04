//! Rules for tiers: which facts they lead to, for whom.

use ee_ingest::{split_reference, stands_under};
use km_core::{Attributes, Entity, Unit};

use super::Candidate;

/// Whether a unit says that it holds for an entity that is held.
pub(super) fn holds(unit: &Unit, held: &Attributes) -> bool {
    let applies = unit.metadata.applies_to.iter();
    let mut matching = applies.filter_map(|(attribute, values)| {
        let held = held.get(attribute)?;
        Some(!held.is_disjoint(values))
    });
    matching.any(|matches| matches)
}

/// The attribute of which a unit names values and none of those held; absent where it holds, or
/// where nothing is held.
pub(super) fn other_entity<'a>(unit: &'a Unit, held: &Attributes) -> Option<&'a str> {
    let mut applies = unit.metadata.applies_to.iter();
    let other = applies.find(|(attribute, values)| {
        held.get(*attribute)
            .is_some_and(|held| !held.is_empty() && held.is_disjoint(values))
    });
    other.map(|(attribute, _)| attribute.as_str())
}

/// The units that hold and state rules for tiers.
pub(super) struct TierRules<'a> {
    /// A unit, where its rule leads to, and whether the rule is that of a held tier.
    rules: Vec<(&'a Candidate, &'a str, bool)>,
}

impl<'a> TierRules<'a> {
    /// The rules of the candidates. Without a held tier there are none; rules of units that do not
    /// hold are nobody's.
    pub(super) fn of(candidates: &'a [Candidate], held: &Attributes) -> Self {
        let mut rules = Vec::new();
        if let Some(tiers) = held.get(Entity::TIER) {
            for candidate in candidates {
                let unit = &candidate.unit.unit;
                let here = other_entity(unit, held).is_none();
                for (tier, place) in &unit.metadata.tier_rules {
                    rules.push((candidate, place.as_str(), here && tiers.contains(tier)));
                }
            }
        }
        Self { rules }
    }

    /// Whether rules lead to this unit, and none of a held tier does.
    pub(super) fn exclude(&self, unit: &Unit) -> bool {
        let mut leading = self.leading(unit).peekable();
        leading.peek().is_some() && leading.all(|(_, held)| !held)
    }

    /// The units whose rule for a held tier leads to this unit.
    pub(super) fn leaders<'b>(
        &'b self,
        unit: &'b Unit,
    ) -> impl Iterator<Item = &'a Candidate> + 'b {
        self.leading(unit)
            .filter(|(_, held)| *held)
            .map(|(leader, _)| leader)
    }

    fn leading<'b>(&'b self, unit: &'b Unit) -> impl Iterator<Item = (&'a Candidate, bool)> + 'b {
        let rules = self.rules.iter();
        rules
            .filter(|(leader, place, _)| leads_to(&leader.unit.unit, place, unit))
            .map(|(leader, _, held)| (*leader, *held))
    }
}

/// Whether a rule of this unit leads to that place: in a source of its own tenant or a common one.
fn leads_to(leader: &Unit, place: &str, unit: &Unit) -> bool {
    let (source, anchor) = split_reference(place);
    let owner = &unit.governance.tenant;
    unit.source.as_str() == source
        && (owner.is_none() || *owner == leader.governance.tenant)
        && anchor.is_none_or(|anchor| stands_under(&unit.metadata.section_path, anchor))
}
