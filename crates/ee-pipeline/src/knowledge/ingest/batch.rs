//! Sources that are written in one transaction.

use std::collections::HashSet;
use std::sync::Arc;

use ee_store::{SourceWrite, UnitWrite};

use super::prepare::PreparedSource;
use super::step::Vectors;

/// Sources as the store takes them, and what is noted beside each.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) writes: Vec<SourceWrite>,
    /// The texts of the units of each.
    pub(super) texts: Vec<Vec<String>>,
    /// How many units of each have embeddings that were there before.
    pub(super) reused: Vec<usize>,
    units: usize,
}

impl Batch {
    /// Whether another source of so many units should go into the next transaction, so that this
    /// one has no more than `most` units. One source alone may have more.
    pub(super) fn is_full(&self, units: usize, most: usize) -> bool {
        !self.writes.is_empty() && self.units + units > most
    }

    pub(super) fn push(
        &mut self,
        source: PreparedSource,
        known: &HashSet<[u8; 32]>,
        vectors: &Vectors,
    ) {
        let PreparedSource {
            parsed,
            recipe,
            root,
            texts,
        } = source;
        let reused = texts.iter().filter(|text| known.contains(&text.sha256));
        self.reused.push(reused.count());
        self.units += parsed.units.len();
        let units = parsed.units.into_iter().zip(&texts);
        let units = units.map(|(unit, text)| UnitWrite {
            unit,
            embedded_sha256: text.sha256,
            embedding: vectors.get(&text.sha256).map(Arc::clone),
        });
        self.writes.push(SourceWrite {
            source: parsed.source,
            title: parsed.title,
            governance: parsed.governance,
            content_sha256: parsed.content_sha256,
            recipe_sha256: recipe,
            root,
            units: units.collect(),
        });
        let texts = texts.into_iter().map(|text| text.text);
        self.texts.push(texts.collect());
    }
}
