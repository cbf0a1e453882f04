//! What a turn offers the model: ranked candidates, with what is needed to inject and cite them.

use ee_store::{ElectedUnit, OfferedUnit};
use km_core::UnitId;

use super::citation::{Citable, citations};
use super::injection::{Injected, TransientText};
use super::tag;
use crate::{Evidence, EvidenceItem, SearchHit, StageTrace};

/// The candidates of one turn, by rank.
pub(crate) struct Offer {
    pub(crate) units: Vec<OfferedUnit>,
    pub(crate) citable: Vec<Citable>,
    /// What the stages of the precision pipeline did, where they ran.
    pub(crate) stages: Vec<StageTrace>,
    hits: Vec<SearchHit>,
}

impl Offer {
    /// Ranks the hits in the order given, from 1.
    pub(crate) fn new(hits: Vec<SearchHit>, stages: Vec<StageTrace>) -> Self {
        let ids: Vec<UnitId> = hits.iter().map(|hit| hit.unit.unit.id).collect();
        let citable = citations(&ids)
            .into_iter()
            .zip(ids)
            .zip(1..)
            .map(|((citation, unit), rank)| Citable {
                rank,
                unit,
                citation,
            })
            .collect();
        let units = hits
            .iter()
            .zip(1..)
            .map(|(hit, rank)| offered(hit, rank))
            .collect();
        Self {
            units,
            citable,
            stages,
            hits,
        }
    }

    /// The structured side of the header.
    pub(crate) fn evidence(&self, question: &str) -> Evidence {
        let items = self
            .units
            .iter()
            .zip(&self.citable)
            .map(|(unit, citable)| EvidenceItem {
                rank: unit.rank,
                unit: unit.unit,
                citation: citable.citation.clone(),
                text: unit.summary.clone(),
                relevance: unit.relevance,
            });
        Evidence {
            question: question.to_owned(),
            items: items.collect(),
            injected: false,
        }
    }

    /// The full text of the units of these ranks, in their order.
    pub(crate) fn take(&self, ranks: &[usize]) -> Vec<Injected> {
        ranks.iter().filter_map(|rank| self.inject(*rank)).collect()
    }

    fn inject(&self, rank: usize) -> Option<Injected> {
        let at = rank.checked_sub(1)?;
        let (hit, citable) = (self.hits.get(at)?, self.citable.get(at)?);
        let unit = &hit.unit.unit;
        Some(Injected {
            rank,
            unit: unit.id,
            citation: citable.citation.clone(),
            title: unit.metadata.title.clone(),
            relevance: self.units.get(at)?.relevance,
            text: TransientText::new(unit.content.clone()),
        })
    }

    /// How the units of these ranks are cited, with their ranks.
    pub(crate) fn cited(&self, ranks: &[usize]) -> Vec<(String, usize)> {
        let cited = self
            .citable
            .iter()
            .filter(|unit| ranks.contains(&unit.rank));
        cited
            .map(|unit| (unit.citation.clone(), unit.rank))
            .collect()
    }

    /// The units of these ranks with their tags.
    pub(crate) fn elected(&self, ranks: &[usize]) -> Vec<ElectedUnit> {
        let offered: Vec<&str> = self
            .units
            .iter()
            .map(|unit| unit.embedding_sha256.as_str())
            .collect();
        let units = self.units.iter().filter(|unit| ranks.contains(&unit.rank));
        units
            .map(|unit| ElectedUnit {
                rank: unit.rank,
                unit: unit.unit,
                tag: tag::tag(&unit.embedding_sha256, &offered),
            })
            .collect()
    }
}

fn offered(hit: &SearchHit, rank: usize) -> OfferedUnit {
    let unit = &hit.unit.unit;
    OfferedUnit {
        rank,
        unit: unit.id,
        source: unit.source.clone(),
        summary: unit.summary.clone(),
        relevance: hit.relevance,
        embedding_sha256: hit.unit.embedding_sha256.clone(),
    }
}
