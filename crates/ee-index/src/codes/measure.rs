//! Measuring how far a search must look, on the collection itself.

use super::calibration::{Effort, Finding, effort};
use super::finder::CodedPartitions;
use super::partition::Partition;
use super::search::Prepared;
use crate::kernels::dot;
use crate::vectors::{Slot, Vectors, spread};

/// Collections below this size are searched whole.
pub(super) const SMALLEST_CALIBRATED: usize = 2_000;
/// Effort is measured again when changes make up this part of the collection: a growing one is
/// measured whenever it has become two and a half times as large.
const CHANGED_PART: f64 = 0.6;
/// Stored vectors that stand for queries.
const SAMPLES: usize = 300;
/// Effort is measured for neighbours up to these ranks.
const RANKS: [usize; 4] = [1, 10, 50, 250];
/// The nearest of a sampled vector that are left out of a second measurement. Many texts have
/// near copies in a collection but a query has none: without them the sample is as far from the
/// rest as a query is.
const COPIES: usize = 10;
/// Estimates that are compared exactly to find the truth, for every true neighbour that is wanted.
const TRUTH_FACTOR: usize = 2;

/// A sampled query's neighbour.
struct Near {
    exact: f32,
    estimate: f32,
    partition: usize,
}

impl CodedPartitions {
    /// Whether the collection has changed much since effort was measured.
    pub(super) fn is_outdated(&self, vectors: &Vectors) -> bool {
        let held = vectors.len();
        let changed = self.changes as f64 >= CHANGED_PART * held as f64;
        held >= SMALLEST_CALIBRATED && (self.efforts.is_empty() || changed)
    }

    /// Measures how far a search must look.
    pub(super) fn calibrate(&mut self, vectors: &Vectors) {
        let held = vectors.len();
        let samples: Vec<Sample> = spread(SAMPLES, held)
            .map(|slot| self.sample(vectors, slot))
            .collect();
        let ranks = RANKS.iter().filter(|rank| *rank * 2 <= held);
        self.efforts = ranks.map(|rank| self.measured(*rank, &samples)).collect();
        self.changes = 0;
        tracing::debug!(target: "index", efforts = ?self.efforts, "search effort was measured");
    }

    /// The more of what it takes with the samples' nearest and without them.
    fn measured(&self, rank: usize, samples: &[Sample]) -> Effort {
        let [with, without] = [0, COPIES].map(|copies| {
            let findings = samples.iter().map(|sample| sample.findings(copies, rank));
            effort(rank, &findings.collect::<Vec<_>>(), self.recall)
        });
        Effort {
            rank,
            gap: with.gap.max(without.gap),
            margin: with.margin.max(without.margin),
        }
    }

    /// A stored vector as a query, with its nearest.
    fn sample(&self, vectors: &Vectors, slot: Slot) -> Sample {
        let query = vectors.vector(slot);
        let prepared = self.prepare(query);
        let most = RANKS.last().copied().unwrap_or(0) + COPIES;
        let wanted = (most * TRUTH_FACTOR).min(vectors.len());
        let everything = Effort {
            margin: 0.0,
            ..Effort::everything(wanted)
        };
        let found = self
            .estimates(&prepared, vectors, wanted, &everything, None)
            .into_sorted();
        let others = found.iter().filter(|(_, other)| *other != slot);
        let near = others.map(|(estimate, other)| Near {
            exact: vectors.cosine(query, *other),
            estimate: *estimate,
            partition: self
                .places
                .get(*other as usize)
                .map_or(0, |place| place.0 as usize),
        });
        let mut nearest: Vec<Near> = near.collect();
        nearest.sort_by(|a, b| b.exact.total_cmp(&a.exact));
        Sample {
            nearness: self.nearness_without(slot, query, &prepared.products),
            nearest,
            query: prepared,
        }
    }

    /// The nearness of all partitions as if the vector were not stored: its own share in the
    /// centre of its partition is taken out.
    fn nearness_without(&self, slot: Slot, vector: &[f32], products: &[f32]) -> Vec<f32> {
        let mut nearness: Vec<f32> = self.centres.nearness(products).collect();
        let own = self.places.get(slot as usize);
        let own = own.map_or(0, |(number, _)| *number as usize);
        let held = self.partitions.get(own).map_or(0, Partition::len);
        let share = 1.0 / held.saturating_sub(1).max(1) as f32;
        if let (Some(nearness), Some(product)) = (nearness.get_mut(own), products.get(own)) {
            // With c the centre and x the vector, the other centre is c + share · (c − x).
            let centre_square = 2.0 * (product - *nearness);
            let square = dot(vector, vector);
            let other_product = product + share * (product - square);
            let distance = centre_square - 2.0 * product + square;
            let other_square =
                centre_square + 2.0 * share * (centre_square - product) + share * share * distance;
            *nearness = other_product - other_square / 2.0;
        }
        nearness
    }
}

/// A stored vector as a query.
struct Sample {
    query: Prepared,
    /// Of all partitions.
    nearness: Vec<f32>,
    /// Best first.
    nearest: Vec<Near>,
}

impl Sample {
    /// What it takes to find the neighbours up to a rank, if the nearest `copies` were not there.
    fn findings(&self, copies: usize, rank: usize) -> Vec<Finding> {
        let rest = self.nearest.get(copies..).unwrap_or_default();
        let mut estimates: Vec<f32> = rest.iter().map(|near| near.estimate).collect();
        estimates.sort_unstable_by(|a, b| b.total_cmp(a));
        let Some(kth) = estimates.get(rank - 1) else {
            return Vec::new();
        };
        let finding = |near: &Near| {
            let nearness = self.nearness_of(near);
            Finding {
                gap: kth - nearness,
                margin: (kth - near.estimate) / self.query.distance(nearness),
            }
        };
        rest.iter().take(rank).map(finding).collect()
    }

    fn nearness_of(&self, near: &Near) -> f32 {
        let found = self.nearness.get(near.partition).copied();
        found.unwrap_or(f32::NEG_INFINITY)
    }
}
