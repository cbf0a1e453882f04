//! The vectors of a collection, one after the other.

use rustc_hash::FxHashMap;

use crate::components::Components;
use crate::kernels::dot;
use crate::{Filter, IndexError, Neighbour, nearest::Nearest};

/// Where a vector lies: slots are numbered from 0 without gaps, so a removal moves the last
/// vector into the hole.
pub(crate) type Slot = u32;

/// The most vectors that slots can number.
const LIMIT: usize = Slot::MAX as usize;

/// Evenly spread slots of a collection of `held`, with no period that the order of insertion may
/// share: the multiples of the golden ratio, modulo 1.
pub(crate) fn spread(count: usize, held: usize) -> impl Iterator<Item = Slot> {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let scale = move |number: u64| (u128::from(number.wrapping_mul(GOLDEN)) * held as u128) >> 64;
    (0..count as u64).map(move |number| scale(number) as Slot)
}

/// Vectors under keys, one after the other.
pub(crate) struct Vectors {
    dimension: usize,
    keys: Vec<u64>,
    components: Components,
    slots: FxHashMap<u64, Slot>,
}

impl Vectors {
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            keys: Vec::new(),
            components: Components::default(),
            slots: FxHashMap::default(),
        }
    }

    /// From `keys` and the components of their vectors; `None` if the lengths do not agree, a
    /// key repeats or a component is not finite.
    pub(crate) fn from_parts(
        dimension: usize,
        keys: Vec<u64>,
        components: Components,
    ) -> Option<Self> {
        let numbered = (0..).zip(&keys).map(|(slot, key)| (*key, slot));
        let slots: FxHashMap<u64, Slot> = numbered.collect();
        let complete = keys.len().checked_mul(dimension) == Some(components.len());
        let sound = complete && slots.len() == keys.len() && keys.len() <= LIMIT;
        let finite = |part: &[f32]| part.iter().all(|component| component.is_finite());
        let finite = sound && components.parts().into_iter().all(finite);
        finite.then_some(Self {
            dimension,
            keys,
            components,
            slots,
        })
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    pub(crate) fn components(&self) -> &Components {
        &self.components
    }

    /// Bytes of memory that the keys and the way from them to the slots take.
    pub(crate) fn bytes_of_keys(&self) -> usize {
        let entry = size_of::<(u64, Slot)>() + 1;
        self.keys.capacity() * size_of::<u64>() + self.slots.capacity() * entry
    }

    pub(crate) fn slot(&self, key: u64) -> Option<Slot> {
        self.slots.get(&key).copied()
    }

    /// The key in a slot.
    pub(crate) fn key(&self, slot: Slot) -> Option<u64> {
        self.keys.get(slot as usize).copied()
    }

    /// The vector in a slot; empty outside the collection.
    pub(crate) fn vector(&self, slot: Slot) -> &[f32] {
        let start = slot as usize * self.dimension;
        let found = self.components.get(start, self.dimension);
        found.unwrap_or_default()
    }

    /// Whether a vector may enter or be searched for.
    pub(crate) fn check(&self, vector: &[f32]) -> Result<(), IndexError> {
        if vector.len() != self.dimension {
            return Err(IndexError::Dimension {
                expected: self.dimension,
                found: vector.len(),
            });
        }
        match vector.iter().position(|component| !component.is_finite()) {
            Some(component) => Err(IndexError::NotFinite { component }),
            None => Ok(()),
        }
    }

    /// Whether all entries may enter.
    pub(crate) fn check_all(&self, entries: &[(u64, &[f32])]) -> Result<(), IndexError> {
        if entries.len() > LIMIT.saturating_sub(self.len()) {
            return Err(IndexError::Full { limit: LIMIT });
        }
        entries
            .iter()
            .try_for_each(|(_, vector)| self.check(vector))
    }

    /// Adds a checked vector after the last, or puts it in the place of the key's present one,
    /// whose slot is returned.
    pub(crate) fn put(&mut self, key: u64, vector: &[f32]) -> Option<Slot> {
        if let Some(slot) = self.slot(key) {
            let start = slot as usize * self.dimension;
            self.components.replace(start, vector);
            return Some(slot);
        }
        let slot = self.keys.len() as Slot;
        self.keys.push(key);
        self.components.push(vector);
        self.slots.insert(key, slot);
        None
    }

    /// Takes a key out; the last vector moves into its slot, which is returned.
    pub(crate) fn remove(&mut self, key: u64) -> Option<Slot> {
        let slot = self.slots.remove(&key)?;
        self.keys.swap_remove(slot as usize);
        if let Some(moved) = self.keys.get(slot as usize) {
            self.slots.insert(*moved, slot);
        }
        let start = slot as usize * self.dimension;
        self.components.swap_remove(start, self.dimension);
        Some(slot)
    }

    pub(crate) fn cosine(&self, query: &[f32], slot: Slot) -> f32 {
        dot(query, self.vector(slot))
    }

    pub(crate) fn cosines(&self, query: &[f32], keys: &[u64]) -> Vec<Option<f32>> {
        let cosine = |slot| self.cosine(query, slot).clamp(-1.0, 1.0);
        keys.iter().map(|key| self.slot(*key).map(cosine)).collect()
    }

    /// Compares the query with every vector that the filter admits.
    pub(crate) fn scan(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<Neighbour> {
        let mut nearest = Nearest::new(k, self.len());
        for (key, slot) in self.keys.iter().zip(0..) {
            if filter.is_none_or(|admits| admits(*key)) {
                nearest.offer(*key, self.cosine(query, slot));
            }
        }
        nearest.into_sorted()
    }
}
