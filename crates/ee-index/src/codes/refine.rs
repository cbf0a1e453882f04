//! Moving vectors to nearer partitions after many splits.
//!
//! Splits look at one partition only; the rounds here are those of Lloyd's algorithm for all of
//! them, restricted to the partitions around the one that holds a vector.

use super::finder::CodedPartitions;
use crate::kernels::dot;
use crate::vectors::{Slot, Vectors};

const ROUNDS: usize = 2;
/// Partitions around each, into which its vectors may move.
const AROUND: usize = 12;

/// What one partition's vectors are compared with, not rotated.
struct Candidate {
    number: usize,
    centre: Vec<f32>,
    half_square: f32,
}

impl CodedPartitions {
    /// The same vectors in nearer partitions: every vector with the nearest centre around its own,
    /// and the centres in the means.
    pub(super) fn refined(&self, vectors: &Vectors) -> Self {
        let mut refined = self.regrouped(vectors);
        for _ in 1..ROUNDS {
            refined = refined.regrouped(vectors);
        }
        refined
    }

    /// After one round.
    fn regrouped(&self, vectors: &Vectors) -> Self {
        let mut regrouped = Self::around(self.rotation.clone(), self.seed, self.recall);
        regrouped.places = vec![(0, 0); self.places.len()];
        let members = self.reassigned(vectors);
        for slots in members.iter().filter(|slots| !slots.is_empty()) {
            let centre = self.rotation.apply(&super::split::mean(vectors, slots));
            let number = regrouped.open(&centre);
            for slot in slots {
                let rotated = self.rotation.apply(vectors.vector(*slot));
                regrouped.put(number, *slot, &rotated);
            }
        }
        regrouped
    }

    /// The members of every partition after one round.
    fn reassigned(&self, vectors: &Vectors) -> Vec<Vec<Slot>> {
        let mut members = vec![Vec::new(); self.partitions.len()];
        for (partition, number) in self.partitions.iter().zip(0..) {
            let candidates = self.candidates(number);
            for slot in partition.slots() {
                let nearest = nearest(&candidates, vectors.vector(slot)).unwrap_or(number);
                if let Some(members) = members.get_mut(nearest) {
                    members.push(slot);
                }
            }
        }
        members
    }

    /// A partition and those around it.
    fn candidates(&self, number: usize) -> Vec<Candidate> {
        let products = self.centres.products(self.centres.get(number));
        let mut nearness: Vec<(f32, usize)> = self.centres.nearness(&products).zip(0..).collect();
        let around = (AROUND + 1).min(nearness.len());
        if around < nearness.len() {
            nearness.select_nth_unstable_by(around, |a, b| b.0.total_cmp(&a.0));
        }
        let numbers = nearness.iter().take(around).map(|(_, number)| *number);
        numbers.map(|number| self.candidate(number)).collect()
    }

    fn candidate(&self, number: usize) -> Candidate {
        let centre = self.rotation.undo(self.centres.get(number));
        Candidate {
            number,
            half_square: dot(&centre, &centre) / 2.0,
            centre,
        }
    }
}

fn nearest(candidates: &[Candidate], vector: &[f32]) -> Option<usize> {
    let nearness = |candidate: &Candidate| dot(vector, &candidate.centre) - candidate.half_square;
    let all = candidates
        .iter()
        .map(|candidate| (nearness(candidate), candidate.number));
    all.max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexConfig;
    use crate::codes::partition::Partition;
    use crate::conformance::clustered;
    use crate::finder::Finder;

    /// The mean product of the vectors with the centres of their partitions.
    fn closeness(finder: &CodedPartitions, vectors: &Vectors) -> f32 {
        let product = |(number, partition): (usize, &Partition)| -> f32 {
            let centre = finder.candidate(number).centre;
            partition
                .slots()
                .map(|slot| dot(vectors.vector(slot), &centre))
                .sum()
        };
        let all = finder.partitions.iter().enumerate().map(product);
        all.sum::<f32>() / vectors.len() as f32
    }

    #[test]
    fn every_vector_stays_and_partitions_become_closer() {
        let mut vectors = Vectors::new(32);
        let mut finder = CodedPartitions::new(32, &IndexConfig::default());
        for (key, vector) in (0..).zip(clustered(1_500, 32, 40, 9)) {
            vectors.put(key, &vector);
        }
        finder.add(&vectors, 0..1_500);
        let before = closeness(&finder, &vectors);
        let finder = finder.refined(&vectors);
        let after = closeness(&finder, &vectors);
        assert!(after > before, "{before} became {after}");
        for (slot, (number, position)) in (0..).zip(&finder.places) {
            let held = finder.partitions[*number as usize]
                .slots()
                .nth(*position as usize);
            assert_eq!(held, Some(slot));
        }
        assert_eq!(
            finder.partitions.iter().map(Partition::len).sum::<usize>(),
            1_500
        );
    }
}
