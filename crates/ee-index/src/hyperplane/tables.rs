//! The hash tables over the slots of a collection.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::planes::Planes;
use super::probes::Probes;
use crate::finder::Finder;
use crate::nearest::Nearest;
use crate::vectors::{Slot, Vectors};
use crate::{Filter, IndexConfig, Neighbour};

/// Hash tables of slots, and every slot's buckets, so that it can be taken out again.
pub(crate) struct HashTables {
    planes: Planes,
    functions: usize,
    probes: usize,
    buckets: Vec<FxHashMap<u32, Vec<Slot>>>,
    /// One bucket number per table, slot after slot.
    assigned: Vec<u32>,
}

impl HashTables {
    /// Empty tables; the settings are valid.
    pub(crate) fn new(dimension: usize, config: &IndexConfig) -> Self {
        let (functions, tables) = (config.hash_functions, config.hash_tables);
        Self {
            planes: Planes::new(dimension, functions, tables, config.hash_seed),
            functions,
            probes: config.hash_probes,
            buckets: vec![FxHashMap::default(); tables],
            assigned: Vec::new(),
        }
    }

    fn range(&self, slot: Slot) -> std::ops::Range<usize> {
        let start = slot as usize * self.buckets.len();
        start..start + self.buckets.len()
    }

    /// Every table's bucket of a slot.
    fn of(&self, slot: Slot) -> Vec<u32> {
        let range = self.range(slot);
        self.assigned.get(range).unwrap_or_default().to_vec()
    }

    fn link(&mut self, slot: Slot, numbers: &[u32]) {
        for (table, number) in self.buckets.iter_mut().zip(numbers) {
            table.entry(*number).or_default().push(slot);
        }
    }

    fn unlink(&mut self, slot: Slot, numbers: &[u32]) {
        for (table, number) in self.buckets.iter_mut().zip(numbers) {
            if let Some(slots) = table.get_mut(number)
                && let Some(position) = slots.iter().position(|held| *held == slot)
            {
                slots.swap_remove(position);
            }
        }
    }

    /// The slots in the most promising buckets, each once.
    fn candidates(&self, query: &[f32], slots: usize) -> impl Iterator<Item = Slot> {
        let margins = self.planes.margins(query);
        let probes = Probes::new(&margins, self.functions).take(self.probes);
        let found = probes.filter_map(|probe| self.buckets.get(probe.table)?.get(&probe.bucket));
        let mut seen = vec![false; slots];
        found.flatten().copied().filter(move |slot| {
            let seen = seen.get_mut(*slot as usize);
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
        })
    }
}

impl Finder for HashTables {
    fn add(&mut self, vectors: &Vectors, slots: Range<Slot>) {
        for slot in slots {
            let numbers = self.planes.buckets(vectors.vector(slot));
            self.link(slot, &numbers);
            self.assigned.extend(numbers);
        }
    }

    fn replace(&mut self, vectors: &Vectors, slot: Slot) {
        self.unlink(slot, &self.of(slot));
        let numbers = self.planes.buckets(vectors.vector(slot));
        self.link(slot, &numbers);
        let range = self.range(slot);
        if let Some(place) = self.assigned.get_mut(range) {
            place.copy_from_slice(&numbers);
        }
    }

    fn swap_remove(&mut self, slot: Slot) {
        let last = self.assigned.len().saturating_sub(self.buckets.len());
        let last_slot = (last / self.buckets.len()) as Slot;
        self.unlink(slot, &self.of(slot));
        if slot != last_slot {
            let numbers = self.of(last_slot);
            self.unlink(last_slot, &numbers);
            self.link(slot, &numbers);
            let start = self.range(slot).start;
            self.assigned.copy_within(last.., start);
        }
        self.assigned.truncate(last);
    }

    fn bytes(&self) -> usize {
        let slots = self.buckets.iter().flat_map(FxHashMap::values);
        let held: usize = slots
            .map(|slots| slots.capacity() * size_of::<Slot>())
            .sum();
        let entries: usize = self.buckets.iter().map(FxHashMap::capacity).sum();
        held + entries * size_of::<(u32, Vec<Slot>)>() + self.assigned.capacity() * size_of::<u32>()
    }

    fn search(
        &self,
        vectors: &Vectors,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<Neighbour> {
        let k = k.min(vectors.len());
        let mut nearest = Nearest::new(k, vectors.len());
        for slot in self.candidates(query, vectors.len()) {
            let admitted = vectors
                .key(slot)
                .filter(|key| filter.is_none_or(|f| f(*key)));
            if let Some(key) = admitted {
                nearest.offer(key, vectors.cosine(query, slot));
            }
        }
        if nearest.len() < k {
            return vectors.scan(query, k, filter);
        }
        nearest.into_sorted()
    }
}
