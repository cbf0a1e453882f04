//! Searching the partitions.

use super::calibration::Effort;
use super::finder::CodedPartitions;
use super::nearest_estimates::NearestEstimates;
use super::query::QueryTable;
use crate::kernels::prefetch;
use crate::nearest::Nearest;
use crate::vectors::{Slot, Vectors, spread};
use crate::{Filter, Neighbour};

/// Under a filter that admits fewer, comparing with those is faster: a part of the collection.
const SMALLEST_ADMITTED: f64 = 0.01;
/// Of the k that are asked for: searches that want more of the collection compare with all.
const LARGEST_PART: usize = 8;
/// Keys that are shown to a filter to estimate the part that it admits.
const FILTER_SAMPLES: usize = 400;
/// Vectors ahead of the one that is compared are asked for.
const AHEAD: usize = 3;

/// A query made ready for all partitions.
pub(super) struct Prepared {
    table: QueryTable,
    /// With the centres.
    pub(super) products: Vec<f32>,
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
        let effort = match filter {
            None => self.effort(rank),
            Some(_) => self.effort_under_a_filter(),
        };
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
        let order = self.order(query, effort.reach);
        let mut ahead = order.iter().skip(1);
        for number in &order {
            if let Some(next) = ahead.next().and_then(|next| self.partitions.get(*next)) {
                next.prefetch();
            }
            self.scan(*number, query, vectors, filter, &mut nearest);
        }
        nearest.into_sorted()
    }

    /// The partitions within reach of the nearest, nearest first.
    fn order(&self, query: &Prepared, reach: f32) -> Vec<usize> {
        let nearness: Vec<f32> = self.centres.nearness(&query.products).collect();
        let best = nearness.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let within = (0..)
            .zip(nearness)
            .filter(|(_, near)| *near >= best - reach);
        let mut within: Vec<(usize, f32)> = within.collect();
        within.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        within.into_iter().map(|(number, _)| number).collect()
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

    /// What a filter admits may lie far from the query: all partitions are looked at. It may also
    /// lie apart, so that estimates mislead more than among neighbours of all kinds: the largest
    /// margin of any rank is taken, which is that of the first few.
    fn effort_under_a_filter(&self) -> Effort {
        let margins = self.efforts.iter().map(|effort| effort.margin);
        Effort {
            margin: margins.reduce(f32::max).unwrap_or(f32::INFINITY),
            ..Effort::everything(0)
        }
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
