//! Searching the partitions.

use super::calibration::Effort;
use super::finder::CodedPartitions;
use super::nearest_estimates::NearestEstimates;
use super::query::QueryTable;
use crate::kernels::prefetch;
use crate::nearest::Nearest;
use crate::vectors::{Slot, Vectors, spread};
use crate::{Filter, Neighbour};

/// These many partitions are looked at before the others are chosen by what was found in them.
const FIRST: usize = 12;
/// Under a filter that admits fewer, comparing with those is faster: a part of the collection.
const SMALLEST_ADMITTED: f64 = 0.01;
/// Of the k that are asked for: searches that want more of the collection compare with all.
const LARGEST_PART: usize = 8;
/// Keys that are shown to a filter to estimate the part that it admits.
const FILTER_SAMPLES: usize = 400;
/// Of a partition whose vectors all equal its centre.
const LEAST_SPREAD: f32 = 1e-6;
/// Vectors ahead of the one that is compared are asked for.
const AHEAD: usize = 3;

/// A query made ready for all partitions.
pub(super) struct Prepared {
    table: QueryTable,
    /// With the centres.
    pub(super) products: Vec<f32>,
}

/// A partition and the most that an estimate in it is expected to reach.
struct Reach {
    most: f32,
    number: usize,
}

impl CodedPartitions {
    pub(super) fn prepare(&self, query: &[f32]) -> Prepared {
        let rotated = self.rotation.apply(query);
        Prepared {
            table: QueryTable::new(&rotated),
            products: self.centres.products(&rotated),
        }
    }

    /// The `k` nearest among those that the filter admits, best first.
    pub(super) fn nearest(
        &self,
        vectors: &Vectors,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Vec<Neighbour> {
        let k = k.min(vectors.len());
        let admitted = filter.map_or(1.0, |filter| admitted_part(vectors, filter));
        let rank = (k as f64 / admitted.max(f64::MIN_POSITIVE)) as usize;
        if k == 0 || admitted < SMALLEST_ADMITTED || rank > vectors.len() / LARGEST_PART {
            return vectors.scan(query, k, filter);
        }
        let effort = self.effort(rank);
        let found = self.estimates(&self.prepare(query), vectors, k, &effort, filter);
        if found.len() < k {
            return vectors.scan(query, k, filter);
        }
        compare(vectors, query, k, &found)
    }

    /// The slots with the best estimates, best first: at least `k` if so many are admitted.
    pub(super) fn estimates(
        &self,
        query: &Prepared,
        vectors: &Vectors,
        k: usize,
        effort: &Effort,
        filter: Option<Filter<'_>>,
    ) -> Vec<(f32, Slot)> {
        let mut nearest = NearestEstimates::new(k, effort.margin);
        let mut reaches = self.reaches(query, effort.reach);
        let first = FIRST.min(reaches.len());
        if first < reaches.len() {
            reaches.select_nth_unstable_by(first, |a, b| b.most.total_cmp(&a.most));
        }
        let mut later = reaches.split_off(first);
        self.look(reaches, query, vectors, filter, &mut nearest);
        let kth = nearest.kth();
        later.retain(|reach| reach.most >= kth);
        self.look(later, query, vectors, filter, &mut nearest);
        nearest.into_sorted()
    }

    /// Looks at partitions, the most promising first, while they may hold one of the nearest.
    fn look(
        &self,
        mut reaches: Vec<Reach>,
        query: &Prepared,
        vectors: &Vectors,
        filter: Option<Filter<'_>>,
        nearest: &mut NearestEstimates,
    ) {
        reaches.sort_unstable_by(|a, b| b.most.total_cmp(&a.most));
        for reach in reaches {
            if reach.most < nearest.kth() {
                break;
            }
            self.scan(reach.number, query, vectors, filter, nearest);
        }
    }

    fn reaches(&self, query: &Prepared, reach: f32) -> Vec<Reach> {
        let spreads = self
            .partitions
            .iter()
            .map(|partition| partition.spread().max(LEAST_SPREAD));
        let terms = query.products.iter().zip(spreads).zip(0..);
        let reaches = terms.map(|((product, spread), number)| Reach {
            most: product + reach * spread,
            number,
        });
        reaches.collect()
    }

    fn scan(
        &self,
        number: usize,
        query: &Prepared,
        vectors: &Vectors,
        filter: Option<Filter<'_>>,
        nearest: &mut NearestEstimates,
    ) {
        let (Some(partition), Some(product)) =
            (self.partitions.get(number), query.products.get(number))
        else {
            return;
        };
        let estimator = query.table.estimator(*product);
        partition.scan(&estimator, nearest.bar(), |estimate, slot| {
            if filter.is_none_or(|admits| vectors.key(slot).is_some_and(admits)) {
                nearest.offer(estimate, slot);
            }
            nearest.bar()
        });
    }

    /// How far to look for the neighbours up to a rank: what was measured for the next lower and
    /// the next higher rank, whichever is more. Everything when that was not measured.
    fn effort(&self, rank: usize) -> Effort {
        let higher = self.efforts.iter().find(|effort| effort.rank >= rank);
        let lower = self.efforts.iter().rfind(|effort| effort.rank <= rank);
        match (lower.or(higher), higher) {
            (Some(lower), Some(higher)) => Effort {
                rank,
                reach: lower.reach.max(higher.reach),
                margin: lower.margin.max(higher.margin),
            },
            _ => Effort::everything(rank),
        }
    }
}

/// Exact cosines of those with the best estimates.
fn compare(vectors: &Vectors, query: &[f32], k: usize, found: &[(f32, Slot)]) -> Vec<Neighbour> {
    let mut nearest = Nearest::new(k, found.len());
    let ahead = found.iter().skip(AHEAD).map(|(_, slot)| Some(*slot));
    let ahead = ahead.chain(std::iter::repeat(None));
    for (_, slot) in found.iter().take(AHEAD) {
        prefetch(vectors.vector(*slot));
    }
    for ((_, slot), next) in found.iter().zip(ahead) {
        if let Some(next) = next {
            prefetch(vectors.vector(next));
        }
        if let Some(key) = vectors.key(*slot) {
            nearest.offer(key, vectors.cosine(query, *slot));
        }
    }
    nearest.into_sorted()
}

/// The part of the collection that a filter admits, from a sample.
fn admitted_part(vectors: &Vectors, filter: Filter<'_>) -> f64 {
    let sample = spread(FILTER_SAMPLES, vectors.len());
    let keys = sample.filter_map(|slot| vectors.key(slot));
    keys.filter(|key| filter(*key)).count() as f64 / FILTER_SAMPLES as f64
}
