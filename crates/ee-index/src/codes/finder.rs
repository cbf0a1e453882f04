//! The partitions of a collection, and how they change with it.

use std::ops::Range;

use super::calibration::Effort;
use super::centres::Centres;
use super::code::Code;
use super::partition::Partition;
use super::rotation::Rotation;
use super::split::halve;
use super::stored;
use crate::finder::Finder;
use crate::vectors::{Slot, Vectors};
use crate::{Filter, IndexConfig, Neighbour};

/// A partition may always have this many vectors.
const SMALLEST_LIMIT: usize = 64;
/// Beyond, it may have this many times the square root of the collection: the cost of comparing
/// with the centres and that of scanning partitions grow alike.
const LIMIT_FACTOR: f64 = 0.5;
/// A partition over its limit is tried whenever it has grown by this many: one whose vectors are
/// all equal cannot be split.
const SPLIT_EVERY: usize = 16;

/// Slots whose partitions are looked for at once.
const TOGETHER: Slot = 16;

/// Sign codes in partitions around centres.
pub(crate) struct CodedPartitions {
    pub(super) rotation: Rotation,
    pub(super) seed: u64,
    pub(super) recall: f32,
    pub(super) centres: Centres,
    /// One for every centre.
    pub(super) partitions: Vec<Partition>,
    /// Partition and position of every slot.
    pub(super) places: Vec<(u32, u32)>,
    /// What a search takes, by rising rank; empty until it is measured.
    pub(super) efforts: Vec<Effort>,
    /// Changes since effort was measured.
    pub(super) changes: usize,
}

impl CodedPartitions {
    /// One empty partition; the settings are valid.
    pub(crate) fn new(dimension: usize, config: &IndexConfig) -> Self {
        let mut new = Self::without_partitions(dimension, config);
        new.open(&vec![0.0; new.rotation.width()]);
        new
    }

    pub(super) fn without_partitions(dimension: usize, config: &IndexConfig) -> Self {
        let rotation = Rotation::new(dimension, config.hash_seed);
        Self::around(rotation, config.hash_seed, config.recall as f32)
    }

    /// Nothing yet, under a rotation that was made from the seed.
    pub(super) fn around(rotation: Rotation, seed: u64, recall: f32) -> Self {
        Self {
            recall,
            centres: Centres::new(rotation.width()),
            partitions: Vec::new(),
            places: Vec::new(),
            efforts: Vec::new(),
            changes: 0,
            rotation,
            seed,
        }
    }

    /// Adds a partition around a rotated centre and returns its number.
    pub(super) fn open(&mut self, centre: &[f32]) -> usize {
        self.centres.push(centre);
        self.partitions.push(Partition::new(self.rotation.width()));
        self.partitions.len() - 1
    }

    /// Empties a partition around another rotated centre.
    fn reopen(&mut self, number: usize, centre: &[f32]) {
        self.centres.set(number, centre);
        if let Some(partition) = self.partitions.get_mut(number) {
            *partition = Partition::new(self.rotation.width());
        }
    }

    /// Appends a rotated vector to a partition.
    pub(super) fn put(&mut self, number: usize, slot: Slot, rotated: &[f32]) {
        let code = Code::new(rotated, self.centres.get(number));
        let Some(partition) = self.partitions.get_mut(number) else {
            return;
        };
        let place = (number as u32, partition.push(slot, &code) as u32);
        match self.places.get_mut(slot as usize) {
            Some(held) => *held = place,
            None => self.places.push(place),
        }
    }

    fn limit(&self) -> usize {
        let grown = LIMIT_FACTOR * (self.places.len() as f64).sqrt();
        SMALLEST_LIMIT.max(grown as usize)
    }

    /// Puts slots where they belong. When a partition is split on the way, those still to come
    /// stay with the half that kept its number: refining sets that right.
    fn enter(&mut self, vectors: &Vectors, slots: Range<Slot>) {
        let rotated = slots
            .clone()
            .map(|slot| self.rotation.apply(vectors.vector(slot)));
        let rotated: Vec<Vec<f32>> = rotated.collect();
        let numbers = self.centres.nearest(&rotated);
        for ((slot, rotated), number) in slots.zip(&rotated).zip(numbers) {
            self.put(number, slot, rotated);
            self.changes += 1;
            let grown = self.partitions.get(number).map_or(0, Partition::len);
            if grown > self.limit() && grown.is_multiple_of(SPLIT_EVERY) {
                self.split(vectors, number);
            }
        }
    }

    fn split(&mut self, vectors: &Vectors, number: usize) {
        let Some(partition) = self.partitions.get(number) else {
            return;
        };
        let slots: Vec<Slot> = partition.slots().collect();
        let Some(halves) = halve(vectors, &slots) else {
            return;
        };
        let [left, right] = halves.centres.map(|centre| self.rotation.apply(&centre));
        self.reopen(number, &left);
        let numbers = [number, self.open(&right)];
        for (number, members) in numbers.into_iter().zip(halves.members) {
            for slot in members {
                let rotated = self.rotation.apply(vectors.vector(slot));
                self.put(number, slot, &rotated);
            }
        }
    }

    /// Takes a slot out of its partition, whose number is returned.
    fn take(&mut self, slot: Slot) -> Option<usize> {
        let (number, position) = self.places.get(slot as usize).copied()?;
        let partition = self.partitions.get_mut(number as usize)?;
        if let Some(moved) = partition.swap_remove(position as usize)
            && let Some(place) = self.places.get_mut(moved as usize)
        {
            *place = (number, position);
        }
        Some(number as usize)
    }

    fn leave(&mut self, slot: Slot) {
        let left = self.take(slot);
        self.changes += 1;
        let Some(number) = left else { return };
        if self.partitions.len() > 1 && self.partitions.get(number).is_some_and(|p| p.len() == 0) {
            self.close(number);
        }
    }

    /// Drops an empty partition; the last one takes its number.
    fn close(&mut self, number: usize) {
        self.partitions.swap_remove(number);
        self.centres.swap_remove(number);
        let Some(moved) = self.partitions.get(number) else {
            return;
        };
        for slot in moved.slots() {
            if let Some(place) = self.places.get_mut(slot as usize) {
                place.0 = number as u32;
            }
        }
    }
}

impl Finder for CodedPartitions {
    fn add(&mut self, vectors: &Vectors, slots: Range<Slot>) {
        let firsts = slots.clone().step_by(TOGETHER as usize);
        for first in firsts {
            self.enter(
                vectors,
                first..slots.end.min(first.saturating_add(TOGETHER)),
            );
        }
    }

    fn replace(&mut self, vectors: &Vectors, slot: Slot) {
        self.leave(slot);
        self.enter(vectors, slot..slot.saturating_add(1));
    }

    fn swap_remove(&mut self, slot: Slot) {
        self.leave(slot);
        let Some(place) = self.places.pop() else {
            return;
        };
        if let Some(held) = self.places.get_mut(slot as usize) {
            *held = place;
            let (number, position) = place;
            if let Some(partition) = self.partitions.get_mut(number as usize) {
                partition.rename(position as usize, slot);
            }
        }
    }

    fn successor(&self, vectors: &Vectors) -> Option<Box<dyn Finder>> {
        if !self.is_outdated(vectors) {
            return None;
        }
        let mut next = self.refined(vectors);
        next.calibrate(vectors);
        Some(Box::new(next))
    }

    fn to_bytes(&self) -> Vec<u8> {
        stored::to_bytes(self)
    }

    fn bytes(&self) -> usize {
        let partitions: usize = self.partitions.iter().map(Partition::bytes).sum();
        let places = self.places.capacity() * size_of::<(u32, u32)>();
        partitions + places + self.centres.bytes()
    }

    fn search(
        &self,
        vectors: &Vectors,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<Neighbour> {
        self.nearest(vectors, query, k, filter)
    }
}
