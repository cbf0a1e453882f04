//! Measuring how far a search must look, on the collection itself.

use super::calibration::{Effort, Finding, effort};
use super::finder::CodedPartitions;
use super::search::Prepared;
use crate::vectors::{Slot, Vectors, spread};

/// Collections below this size are searched whole.
const SMALLEST_CALIBRATED: usize = 2_000;
/// Stored vectors that stand for queries.
const SAMPLES: usize = 400;
/// Effort is measured for neighbours up to these ranks.
const RANKS: [usize; 4] = [1, 10, 100, 1_000];
/// The nearest of a sampled vector that are left out of a second measurement. Many texts have
/// near copies in a collection but a query has none: without them the sample is as far from the
/// rest as a query is.
const COPIES: usize = 30;
/// Estimates that are compared exactly to find the truth, for every true neighbour that is wanted.
const TRUTH_FACTOR: usize = 2;

/// A sampled query's neighbour.
struct Near {
    exact: f32,
    estimate: f32,
    partition: usize,
}

impl CodedPartitions {
    /// Measures effort anew when the collection has changed much since.
    pub(super) fn calibrate(&mut self, vectors: &Vectors) {
        let held = vectors.len();
        if held < SMALLEST_CALIBRATED {
            self.efforts.clear();
            return;
        }
        if !self.efforts.is_empty() && self.changes * 2 < held {
            return;
        }
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
            let findings = samples
                .iter()
                .map(|sample| self.findings(sample, copies, rank));
            effort(rank, &findings.collect::<Vec<_>>(), self.recall)
        });
        Effort {
            rank,
            reach: with.reach.max(without.reach),
            margin: with.margin.max(without.margin),
        }
    }

    /// A stored vector as a query, with its nearest.
    fn sample(&self, vectors: &Vectors, slot: Slot) -> Sample {
        let query = vectors.vector(slot);
        let mut prepared = self.prepare(query);
        self.leave_out(slot, query, &mut prepared);
        let most = RANKS.last().copied().unwrap_or(0) + COPIES;
        let wanted = (most * TRUTH_FACTOR).min(vectors.len());
        let everything = Effort {
            margin: 0.0,
            ..Effort::everything(wanted)
        };
        let found = self.estimates(&prepared, vectors, wanted, &everything, None);
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
            products: prepared.products,
            nearest,
        }
    }

    /// Takes a vector's own share out of the product with its partition's centre, as if it were
    /// not stored.
    fn leave_out(&self, slot: Slot, vector: &[f32], prepared: &mut Prepared) {
        let Some((number, _)) = self.places.get(slot as usize) else {
            return;
        };
        let number = *number as usize;
        let others = self
            .partitions
            .get(number)
            .map_or(0, |partition| partition.len().saturating_sub(1));
        let square = crate::kernels::dot(vector, vector);
        if let Some(product) = prepared.products.get_mut(number) {
            *product += (*product - square) / others.max(1) as f32;
        }
    }

    /// What it takes to find the neighbours up to a rank, if the nearest `copies` were not there.
    fn findings(&self, sample: &Sample, copies: usize, rank: usize) -> Vec<Finding> {
        let rest = sample.nearest.get(copies..).unwrap_or_default();
        let mut estimates: Vec<f32> = rest.iter().map(|near| near.estimate).collect();
        estimates.sort_unstable_by(|a, b| b.total_cmp(a));
        let Some(kth) = estimates.get(rank - 1).copied() else {
            return Vec::new();
        };
        let finding = |near: &Near| {
            let product = sample.products.get(near.partition).copied().unwrap_or(0.0);
            let spread = self
                .partitions
                .get(near.partition)
                .map_or(0.0, super::partition::Partition::spread);
            Finding {
                reach: (kth - product) / spread.max(f32::MIN_POSITIVE),
                margin: kth - near.estimate,
            }
        };
        rest.iter().take(rank).map(finding).collect()
    }
}

/// A stored vector as a query.
struct Sample {
    /// With the centres.
    products: Vec<f32>,
    /// Best first.
    nearest: Vec<Near>,
}
