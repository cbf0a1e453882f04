//! Searching the partitions.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use super::calibration::Effort;
use super::finder::CodedPartitions;
use super::nearest_estimates::NearestEstimates;
use super::query::QueryTable;
use crate::kernels::{dot, prefetch};
use crate::nearest::Nearest;
use crate::vectors::{Slot, Vectors, spread};
use crate::{Filter, Neighbour};

/// If a filter admits fewer vectors, comparing with those is faster.
const FEWEST_ADMITTED: f64 = 3_000.0;
/// Of the k that are asked for: searches that want more of the collection compare with all.
const LARGEST_PART: usize = 8;
/// A filter goes against the query if it shuts out this many times more of the nearest than usual.
const AGAINST: f64 = 2.0;
/// The margin then, in largest margins of any rank.
const THOROUGH: f32 = 1.25;
/// Keys that are shown to a filter to estimate the part that it admits.
const FILTER_SAMPLES: usize = 400;
/// Vectors ahead of the one that is compared are asked for.
const AHEAD: usize = 3;

/// A query made ready for all partitions.
pub(super) struct Prepared {
    table: QueryTable,
    /// With the centres.
    pub(super) products: Vec<f32>,
    /// Of its length.
    square: f32,
}

/// Distances from a centre count as this at least.
const LEAST_DISTANCE: f32 = 0.1;

impl Prepared {
    /// From a centre of this nearness.
    pub(super) fn distance(&self, nearness: f32) -> f32 {
        let square = self.square - 2.0 * nearness;
        square.max(LEAST_DISTANCE * LEAST_DISTANCE).sqrt()
    }
}

impl CodedPartitions {
    pub(super) fn prepare(&self, query: &[f32]) -> Prepared {
        let rotated = self.rotation.apply(query);
        Prepared {
            square: dot(query, query),
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
        let few = filter.is_some() && admitted * (vectors.len() as f64) < FEWEST_ADMITTED;
        if few || k == 0 || rank > vectors.len() / LARGEST_PART {
            return vectors.scan(query, k, filter);
        }
        let prepared = self.prepare(query);
        let nearest = self.estimates(&prepared, vectors, k, &self.effort(k..=rank), filter);
        let usual = k as f64 * (1.0 - admitted) / admitted;
        let nearest = if nearest.shut_out_ahead() as f64 > AGAINST * (usual + k as f64) {
            self.estimates(&prepared, vectors, k, &self.thorough(), filter)
        } else {
            nearest
        };
        let found = nearest.into_sorted();
        if found.len() < k {
            return vectors.scan(query, k, filter);
        }
        compare(vectors, query, k, &found)
    }

    /// The best estimates: at least `k` if so many are admitted.
    pub(super) fn estimates(
        &self,
        query: &Prepared,
        vectors: &Vectors,
        k: usize,
        effort: &Effort,
        filter: Option<Filter<'_>>,
    ) -> NearestEstimates {
        let mut nearest = NearestEstimates::new(k);
        let mut order = self.order(query);
        while let Some(ByNearness(near, number)) = order.pop() {
            if near < nearest.kth() - effort.gap {
                break;
            }
            if let Some(next) = order.peek().and_then(|next| self.partitions.get(next.1)) {
                next.prefetch();
            }
            let error = effort.margin * query.distance(near);
            self.scan(number, query, error, vectors, filter, &mut nearest);
        }
        nearest
    }

    /// All partitions, the nearest on top.
    fn order(&self, query: &Prepared) -> BinaryHeap<ByNearness> {
        let nearness = self.centres.nearness(&query.products);
        let numbered: Vec<ByNearness> = nearness.zip(0..).map(|(n, i)| ByNearness(n, i)).collect();
        BinaryHeap::from(numbered)
    }

    fn scan(
        &self,
        number: usize,
        query: &Prepared,
        error: f32,
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
        partition.scan(&estimator, nearest.kth() - error, |estimate, slot| {
            if filter.is_none_or(|admits| vectors.key(slot).is_some_and(admits)) {
                nearest.offer(estimate, error, slot);
            } else {
                nearest.shut_out(estimate);
            }
            nearest.kth() - error
        });
    }

    /// For filters that shut out what lies around the query: what they admit is far away and lies
    /// dense there, unlike what effort was measured on. All partitions are looked at.
    fn thorough(&self) -> Effort {
        let margins = self.efforts.iter().map(|effort| effort.margin);
        Effort {
            margin: THOROUGH * margins.reduce(f32::max).unwrap_or(f32::INFINITY),
            ..Effort::everything(0)
        }
    }

    /// How far to look for neighbours of these ranks in the whole collection: the most of what was
    /// measured for them, for the next lower rank and for the next higher one. Everything when
    /// that was not measured.
    ///
    /// What a filter admits may lie where the query is, then the `k`-th of it is the `k`-th of all,
    /// or anywhere, then it is a much later one.
    fn effort(&self, ranks: RangeInclusive<usize>) -> Effort {
        let rank = *ranks.end();
        let first = self
            .efforts
            .iter()
            .rposition(|effort| effort.rank <= *ranks.start());
        let last = self.efforts.iter().position(|effort| effort.rank >= rank);
        let measured = match last {
            Some(last) => self.efforts.get(first.unwrap_or(0)..=last),
            None => self.efforts.get(first.unwrap_or(0)..),
        };
        let most = |one: Effort, other: Effort| Effort {
            rank,
            gap: one.gap.max(other.gap),
            margin: one.margin.max(other.margin),
        };
        let measured = measured.unwrap_or_default().iter().copied();
        measured.reduce(most).unwrap_or(Effort::everything(rank))
    }
}

/// A partition's nearness and number.
struct ByNearness(f32, usize);

impl Ord for ByNearness {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for ByNearness {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByNearness {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ByNearness {}

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
