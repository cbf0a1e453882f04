//! The fourth stage: of what contradicts each other, what holds for this caller.

use std::collections::{BTreeSet, HashSet};

use ee_ingest::heading_anchor;
use km_core::{Attributes, Unit};

use super::{Candidate, Retrieval, Stage};
use crate::PipelineError;

/// The attribute whose values name tiers.
const TIER: &str = "tier";

/// Drops what holds for another entity than the one that the question names or the caller holds,
/// rules for other tiers, and repetitions. Expiry, `supersedes`, authority and version are
/// resolved by the store before anything is compared.
#[derive(Debug)]
pub struct Resolve;

impl Stage for Resolve {
    fn name(&self) -> &'static str {
        "resolve"
    }

    fn run(&self, retrieval: &mut Retrieval<'_>) -> Result<Vec<String>, PipelineError> {
        let rules = TierRules::of(&retrieval.candidates, &retrieval.held);
        let (held, mut seen, mut notes) = (&retrieval.held, HashSet::new(), Vec::new());
        retrieval.candidates.retain(|candidate| {
            let unit = &candidate.unit.unit;
            let reason = other_entity(unit, held)
                .or_else(|| {
                    rules
                        .excludes(unit)
                        .then(|| "the rule of another tier".to_owned())
                })
                .or_else(|| {
                    let new = seen.insert(unit.content.clone());
                    (!new).then(|| "the same text as another".to_owned())
                });
            if let Some(reason) = &reason {
                notes.push(format!("{} left out: {reason}", unit.source));
            }
            reason.is_none()
        });
        Ok(notes)
    }
}

/// Why a unit does not hold here: it names values of an attribute, and what is held is not among
/// them.
fn other_entity(unit: &Unit, held: &Attributes) -> Option<String> {
    let applies = unit.metadata.applies_to.iter();
    let mut other = applies.filter_map(|(attribute, values)| {
        let held = held.get(attribute)?;
        held.is_disjoint(values).then(|| {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            format!("it holds for {attribute} {}", values.join(", "))
        })
    });
    other.next()
}

/// Where the candidates' rules for tiers lead: sources, each with `#` and an anchor or without.
struct TierRules {
    held: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl TierRules {
    /// Without a held tier every rule holds.
    fn of(candidates: &[Candidate], held: &Attributes) -> Self {
        let mut rules = Self {
            held: BTreeSet::new(),
            others: BTreeSet::new(),
        };
        let Some(tiers) = held.get(TIER) else {
            return rules;
        };
        for candidate in candidates {
            for (tier, place) in &candidate.unit.unit.metadata.tier_rules {
                if tiers.contains(tier) {
                    rules.held.insert(place.clone());
                } else {
                    rules.others.insert(place.clone());
                }
            }
        }
        rules
    }

    fn excludes(&self, unit: &Unit) -> bool {
        let leads = |places: &BTreeSet<String>| places.iter().any(|place| leads_to(place, unit));
        leads(&self.others) && !leads(&self.held)
    }
}

fn leads_to(place: &str, unit: &Unit) -> bool {
    let (source, anchor) = match place.split_once('#') {
        Some((source, anchor)) => (source, Some(anchor)),
        None => (place, None),
    };
    let headings = &unit.metadata.section_path;
    unit.source.as_str() == source
        && anchor.is_none_or(|anchor| headings.iter().any(|one| heading_anchor(one) == anchor))
}
