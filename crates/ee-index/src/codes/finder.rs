//! The partitions of a collection.

use super::calibration::{Effort, Finding, effort};
use super::partition::Partition;
use super::pool::Pool;
use super::query::QueryTable;
use super::rotation::Rotation;
use super::split::{half_square, halve};
use super::stored;
use crate::finder::Finder;
use crate::kernels::dot;
use crate::nearest::Nearest;
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
/// Collections below this size are scanned whole.
const SMALLEST_CALIBRATED: usize = 2_000;
/// Vectors that stand for queries when effort is measured.
const SAMPLES: usize = 200;
/// Estimates that are compared exactly to find the truth for that.
const TRUTH_POOL: usize = 1_000;
/// Effort is measured for neighbours up to these ranks.
const RANKS: [usize; 4] = [10, 30, 100, 300];
/// Under a filter that admits a smaller part, comparing with that part is faster.
const SMALLEST_ADMITTED: f64 = 0.15;
/// Keys that are shown to a filter to estimate the part that it admits.
const FILTER_SAMPLES: usize = 400;
/// Sign codes in partitions around centres.
pub(crate) struct CodedPartitions {
    pub(super) dimension: usize,
    pub(super) rotation: Rotation,
    pub(super) seed: u64,
    pub(super) recall: f32,
    /// One after the other, not rotated.
    pub(super) centres: Vec<f32>,
    pub(super) half_squares: Vec<f32>,
    pub(super) partitions: Vec<Partition>,
    /// Partition and position of every slot.
    pub(super) places: Vec<(u32, u32)>,
    pub(super) efforts: Vec<Effort>,
    /// Changes since effort was measured.
    pub(super) changes: usize,
}

impl CodedPartitions {
    /// One empty partition; the settings are valid.
    pub(crate) fn new(dimension: usize, config: &IndexConfig) -> Self {
        let mut new = Self::without_partitions(dimension, config);
        new.open(&vec![0.0; dimension]);
        new
    }

    pub(super) fn without_partitions(dimension: usize, config: &IndexConfig) -> Self {
        let rotation = Rotation::new(dimension, config.hash_seed);
        Self {
            dimension,
            recall: config.recall as f32,
            centres: Vec::new(),
            half_squares: Vec::new(),
            partitions: Vec::new(),
            places: Vec::new(),
            efforts: Vec::new(),
            changes: 0,
            rotation,
            seed: config.hash_seed,
        }
    }

    pub(super) fn open(&mut self, centre: &[f32]) -> usize {
        self.centres.extend_from_slice(centre);
        self.half_squares.push(half_square(centre));
        self.partitions
            .push(Partition::new(self.rotation.apply(centre)));
        self.partitions.len() - 1
    }

    fn move_centre(&mut self, number: usize, centre: &[f32]) {
        let start = number * self.dimension;
        if let Some(place) = self.centres.get_mut(start..start + self.dimension) {
            place.copy_from_slice(centre);
        }
        if let Some(square) = self.half_squares.get_mut(number) {
            *square = half_square(centre);
        }
        let rotated = self.rotation.apply(centre);
        if let Some(partition) = self.partitions.get_mut(number) {
            *partition = Partition::new(rotated);
        }
    }

    /// Products of a vector with the centres.
    fn products<'a>(&'a self, vector: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let centres = self.centres.chunks_exact(self.dimension.max(1));
        centres.map(move |centre| dot(vector, centre))
    }

    fn nearest_centre(&self, vector: &[f32]) -> usize {
        let nearness = self
            .products(vector)
            .zip(&self.half_squares)
            .map(|(p, s)| p - s);
        let best = nearness.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(0, |(number, _)| number)
    }

    fn put(&mut self, number: usize, slot: Slot, vector: &[f32]) {
        let rotated = self.rotation.apply(vector);
        let Some(partition) = self.partitions.get_mut(number) else {
            return;
        };
        let position = partition.push(slot, &rotated);
        let place = (number as u32, position as u32);
        match self.places.get_mut(slot as usize) {
            Some(held) => *held = place,
            None => self.places.push(place),
        }
    }

    fn limit(&self) -> usize {
        let grown = LIMIT_FACTOR * (self.places.len() as f64).sqrt();
        SMALLEST_LIMIT.max(grown as usize)
    }

    fn enter(&mut self, vectors: &Vectors, slot: Slot) {
        let vector = vectors.vector(slot);
        let number = self.nearest_centre(vector);
        self.put(number, slot, vector);
        self.changes += 1;
        let grown = self.partitions.get(number).map_or(0, Partition::len);
        if grown > self.limit() && grown.is_multiple_of(SPLIT_EVERY) {
            self.split(vectors, number);
        }
    }

    fn split(&mut self, vectors: &Vectors, number: usize) {
        let slots = self
            .partitions
            .get(number)
            .map_or(&[][..], Partition::slots);
        let Some(halves) = halve(vectors, slots) else {
            return;
        };
        let [left, right] = halves.centres;
        self.move_centre(number, &left);
        let numbers = [number, self.open(&right)];
        for (number, members) in numbers.into_iter().zip(halves.members) {
            for slot in members {
                self.put(number, slot, vectors.vector(slot));
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
        self.half_squares.swap_remove(number);
        let last = self.partitions.len() * self.dimension;
        self.centres.copy_within(last.., number * self.dimension);
        self.centres.truncate(last);
        let moved = self
            .partitions
            .get(number)
            .map_or(&[][..], Partition::slots);
        for slot in moved {
            if let Some(place) = self.places.get_mut(*slot as usize) {
                place.0 = number as u32;
            }
        }
    }

    /// Looks at the codes in the nearest partitions until `budget` vectors were seen, and returns
    /// the slots with the best estimates.
    fn estimate(
        &self,
        vectors: &Vectors,
        query: &[f32],
        reach: f32,
        pool: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<(f32, Slot)> {
        let table = QueryTable::new(&self.rotation.apply(query));
        let mut best = Pool::new(pool);
        for near in self.order(query, reach, pool) {
            let Some(partition) = self.partitions.get(near.number) else {
                continue;
            };
            partition.scan(
                &table.estimator(near.product),
                best.bar(),
                |estimate, slot| {
                    if filter.is_none_or(|admits| vectors.key(slot).is_some_and(admits)) {
                        best.offer(estimate, slot);
                    }
                    best.bar()
                },
            );
        }
        best.into_best()
    }

    /// The partitions to look at, nearest first: those within reach of the nearest, or all if
    /// these hold fewer than `least` vectors.
    fn order(&self, query: &[f32], reach: f32, least: usize) -> Vec<Near> {
        let products = self.products(query).zip(&self.half_squares).zip(0..);
        let all: Vec<Near> = products
            .map(|((product, square), number)| Near {
                nearness: product - square,
                product,
                number,
            })
            .collect();
        let best = all
            .iter()
            .map(|near| near.nearness)
            .fold(f32::NEG_INFINITY, f32::max);
        let within = all
            .iter()
            .copied()
            .filter(|near| near.nearness >= best - reach);
        let mut chosen: Vec<Near> = within.collect();
        let size = |near: &Near| self.partitions.get(near.number).map_or(0, Partition::len);
        if chosen.iter().map(size).sum::<usize>() < least {
            chosen = all;
        }
        chosen.sort_unstable_by(|a, b| b.nearness.total_cmp(&a.nearness));
        chosen
    }

    /// How far to look for the neighbours up to a rank; everything when that was not measured.
    fn effort(&self, rank: usize) -> Effort {
        let measured = self.efforts.iter().find(|effort| effort.rank >= rank);
        measured.copied().unwrap_or(Effort {
            rank,
            reach: f32::INFINITY,
            pool: rank.saturating_mul(4).max(200),
        })
    }

    /// What a filter admits may lie far from the query, wherever that is: all partitions are
    /// looked at, and as many estimates compared as the farthest measured neighbours took.
    fn effort_under_a_filter(&self, k: usize) -> Effort {
        let farthest = RANKS.last().copied().unwrap_or(0);
        Effort {
            reach: f32::INFINITY,
            ..self.effort(k.max(farthest))
        }
    }

    /// Measures effort anew when the collection has changed much since.
    fn calibrate(&mut self, vectors: &Vectors) {
        let held = vectors.len();
        if held < SMALLEST_CALIBRATED {
            self.efforts.clear();
            return;
        }
        if !self.efforts.is_empty() && self.changes * 2 < held {
            return;
        }
        let samples = spread(SAMPLES, held).map(|slot| slot as Slot);
        let findings: Vec<Vec<Finding>> =
            samples.map(|slot| self.findings(vectors, slot)).collect();
        let measured = RANKS.iter().map(|rank| {
            let each = findings.iter().flat_map(|found| found.iter().take(*rank));
            effort(*rank, &each.copied().collect::<Vec<_>>(), self.recall)
        });
        self.efforts = measured.collect();
        self.changes = 0;
        tracing::debug!(target: "index", efforts = ?self.efforts, "search effort was measured");
    }

    /// What it takes to find a vector's true neighbours, nearest first.
    fn findings(&self, vectors: &Vectors, slot: Slot) -> Vec<Finding> {
        let query = vectors.vector(slot);
        let mut best = self.estimate(vectors, query, f32::INFINITY, TRUTH_POOL, None);
        best.retain(|(_, other)| *other != slot);
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut truth: Vec<(f32, Slot, usize)> = best
            .iter()
            .zip(1..)
            .map(|((_, slot), place)| (vectors.cosine(query, *slot), *slot, place))
            .collect();
        truth.sort_by(|a, b| b.0.total_cmp(&a.0));
        truth.truncate(RANKS.last().copied().unwrap_or(0));
        let reaches = self.reaches(query, slot);
        let reach = |slot: Slot| {
            let (number, _) = self.places.get(slot as usize)?;
            reaches.get(*number as usize).copied()
        };
        let finding = |(_, slot, place)| Finding {
            reach: reach(slot).unwrap_or(f32::INFINITY),
            place,
        };
        truth.into_iter().map(finding).collect()
    }

    /// For every partition, how much its nearness to a stored vector is below the nearest one's.
    /// The vector's own share in its partition's centre is taken out, as if it were not stored.
    fn reaches(&self, query: &[f32], slot: Slot) -> Vec<f32> {
        let own = self
            .places
            .get(slot as usize)
            .map_or(0, |place| place.0 as usize);
        let pairs = self.products(query).zip(&self.half_squares);
        let mut nearness: Vec<f32> = pairs.map(|(product, square)| product - square).collect();
        if let Some(near) = nearness.get_mut(own) {
            *near = self.nearness_without(query, own);
        }
        let best = nearness.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        nearness.iter().map(|near| best - near).collect()
    }

    fn nearness_without(&self, vector: &[f32], number: usize) -> f32 {
        let others = self
            .partitions
            .get(number)
            .map_or(0, Partition::len)
            .saturating_sub(1);
        let share = 1.0 / others.max(1) as f32;
        let start = number * self.dimension;
        let centre = self
            .centres
            .get(start..start + self.dimension)
            .unwrap_or_default();
        let pairs = centre.iter().zip(vector);
        let without: Vec<f32> = pairs.map(|(c, v)| c + share * (c - v)).collect();
        dot(vector, &without) - half_square(&without)
    }
}

/// A partition and how near its centre is to a query.
#[derive(Clone, Copy)]
struct Near {
    /// The product with the centre, less half its square: falls with the distance.
    nearness: f32,
    product: f32,
    number: usize,
}

/// The part of the collection that a filter admits, from a sample.
fn admitted_part(vectors: &Vectors, filter: Filter<'_>) -> f64 {
    let sample = spread(FILTER_SAMPLES, vectors.len());
    let keys = sample.filter_map(|slot| vectors.key(slot as Slot));
    keys.filter(|key| filter(*key)).count() as f64 / FILTER_SAMPLES as f64
}

/// Evenly spread numbers below `held`, with no period that the order of insertion may share: the
/// multiples of the golden ratio, modulo 1.
fn spread(count: usize, held: usize) -> impl Iterator<Item = usize> {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let scale = move |number: u64| (u128::from(number.wrapping_mul(GOLDEN)) * held as u128) >> 64;
    (0..count as u64).map(move |number| scale(number) as usize)
}

impl Finder for CodedPartitions {
    fn add(&mut self, vectors: &Vectors, slot: Slot) {
        self.enter(vectors, slot);
    }

    fn replace(&mut self, vectors: &Vectors, slot: Slot) {
        self.leave(slot);
        self.enter(vectors, slot);
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

    fn to_bytes(&self) -> Vec<u8> {
        stored::to_bytes(self)
    }

    fn settle(&mut self, vectors: &Vectors) {
        self.calibrate(vectors);
    }

    fn search(
        &self,
        vectors: &Vectors,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<Neighbour> {
        let k = k.min(vectors.len());
        let effort = match filter {
            None => self.effort(k),
            Some(filter) if admitted_part(vectors, filter) < SMALLEST_ADMITTED => {
                return vectors.scan(query, k, Some(filter));
            }
            Some(_) => self.effort_under_a_filter(k),
        };
        let pool = effort.pool.max(2 * k);
        let best = self.estimate(vectors, query, effort.reach, pool, filter);
        if best.len() < k {
            return vectors.scan(query, k, filter);
        }
        let mut nearest = Nearest::new(k, best.len());
        for (_, slot) in best {
            if let Some(key) = vectors.key(slot) {
                nearest.offer(key, vectors.cosine(query, slot));
            }
        }
        nearest.into_sorted()
    }
}
