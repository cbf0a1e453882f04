//! Vectors together with the structure that finds near ones.

use crate::finder::Finder;
use crate::vectors::{Slot, Vectors};
use crate::{Filter, IndexError, Neighbour};

/// Vectors and, unless every query compares with all of them, a finder that is kept in step.
pub(crate) struct Collection {
    pub(crate) vectors: Vectors,
    pub(crate) finder: Option<Box<dyn Finder>>,
}

impl Collection {
    pub(crate) fn new(dimension: usize, finder: Option<Box<dyn Finder>>) -> Self {
        let vectors = Vectors::new(dimension);
        Self { vectors, finder }
    }

    /// All entries or, if one is bad, none.
    pub(crate) fn upsert(&mut self, entries: &[(u64, &[f32])]) -> Result<(), IndexError> {
        self.vectors.check_all(entries)?;
        for (key, vector) in entries {
            let replaced = self.vectors.put(*key, vector);
            match (&mut self.finder, replaced) {
                (Some(finder), None) => finder.add(&self.vectors, (self.vectors.len() - 1) as Slot),
                (Some(finder), Some(slot)) => finder.replace(&self.vectors, slot),
                (None, _) => {}
            }
        }
        self.settle();
        Ok(())
    }

    pub(crate) fn remove(&mut self, keys: &[u64]) {
        for key in keys {
            if let (Some(slot), Some(finder)) = (self.vectors.remove(*key), &mut self.finder) {
                finder.swap_remove(slot);
            }
        }
        self.settle();
    }

    /// Lets the finder know that a batch of changes is complete.
    pub(crate) fn settle(&mut self) {
        if let Some(finder) = &mut self.finder {
            finder.settle(&self.vectors);
        }
    }

    /// Gives the collection a finder, or a new one.
    pub(crate) fn adopt(&mut self, mut finder: Box<dyn Finder>) {
        for slot in 0..self.vectors.len() as Slot {
            finder.add(&self.vectors, slot);
        }
        finder.settle(&self.vectors);
        self.finder = Some(finder);
    }

    pub(crate) fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Result<Vec<Neighbour>, IndexError> {
        self.vectors.check(query)?;
        Ok(match &self.finder {
            Some(finder) => finder.search(&self.vectors, query, k, filter),
            None => self.vectors.scan(query, k, filter),
        })
    }

    /// Bytes of memory beside the vectors themselves.
    pub(crate) fn bytes_beside_vectors(&self) -> usize {
        let finder = self.finder.as_ref();
        self.vectors.bytes_of_keys() + finder.map_or(0, |finder| finder.bytes())
    }

    pub(crate) fn cosines(
        &self,
        query: &[f32],
        keys: &[u64],
    ) -> Result<Vec<Option<f32>>, IndexError> {
        self.vectors.check(query)?;
        Ok(self.vectors.cosines(query, keys))
    }
}
