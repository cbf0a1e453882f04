//! Moving vectors to nearer partitions after many splits.
//!
//! Splits look at one partition only; the rounds here are those of Lloyd's algorithm for all of
//! them, restricted to the partitions around the one that holds a vector.

use super::centres::{Centres, half_square};
use super::finder::CodedPartitions;
use super::rotation::Rotation;
use super::split::mean;
use crate::kernels::dot;
use crate::vectors::{Slot, Vectors};

const ROUNDS: usize = 2;
/// Partitions around each, into which its vectors may move.
const AROUND: usize = 12;

/// Slots by the centre that is nearest to them.
struct Groups<'a> {
    rotation: &'a Rotation,
    /// Rotated.
    centres: Centres,
    /// The same, not rotated.
    means: Vec<Vec<f32>>,
    /// One list for every centre.
    members: Vec<Vec<Slot>>,
}

/// What one group's vectors are compared with.
struct Candidate<'a> {
    number: usize,
    mean: &'a [f32],
    half_square: f32,
}

impl CodedPartitions {
    /// The same vectors in nearer partitions: every vector with the nearest centre around its own,
    /// and the centres in the means.
    pub(super) fn refined(&self, vectors: &Vectors) -> Self {
        let mut groups = Groups::of(self);
        for _ in 0..ROUNDS {
            groups = groups.regrouped(vectors);
        }
        let mut refined = Self::around(self.rotation.clone(), self.seed, self.recall);
        refined.places = vec![(0, 0); self.places.len()];
        for (slots, number) in groups.members.iter().zip(0..) {
            let number = refined.open(groups.centres.get(number));
            for slot in slots {
                let rotated = self.rotation.apply(vectors.vector(*slot));
                refined.put(number, *slot, &rotated);
            }
        }
        refined
    }
}

impl<'a> Groups<'a> {
    fn of(finder: &'a CodedPartitions) -> Self {
        let numbers = 0..finder.partitions.len();
        let means = numbers.map(|number| finder.rotation.undo(finder.centres.get(number)));
        let members = finder.partitions.iter().map(|one| one.slots().collect());
        Self {
            rotation: &finder.rotation,
            centres: finder.centres.clone(),
            means: means.collect(),
            members: members.collect(),
        }
    }

    /// After one round.
    fn regrouped(&self, vectors: &Vectors) -> Self {
        let mut members = vec![Vec::new(); self.members.len()];
        for (slots, number) in self.members.iter().zip(0..) {
            let candidates = self.candidates(number);
            for slot in slots {
                let nearest = nearest(&candidates, vectors.vector(*slot)).unwrap_or(number);
                if let Some(members) = members.get_mut(nearest) {
                    members.push(*slot);
                }
            }
        }
        members.retain(|slots| !slots.is_empty());
        let means: Vec<Vec<f32>> = members.iter().map(|slots| mean(vectors, slots)).collect();
        let mut centres = Centres::new(self.rotation.width());
        for mean in &means {
            centres.push(&self.rotation.apply(mean));
        }
        Self {
            rotation: self.rotation,
            centres,
            means,
            members,
        }
    }

    /// A group and those around it.
    fn candidates(&self, number: usize) -> Vec<Candidate<'_>> {
        let products = self.centres.products(self.centres.get(number));
        let mut nearness: Vec<(f32, usize)> = self.centres.nearness(&products).zip(0..).collect();
        let around = (AROUND + 1).min(nearness.len());
        if around < nearness.len() {
            nearness.select_nth_unstable_by(around, |a, b| b.0.total_cmp(&a.0));
        }
        let numbers = nearness.iter().take(around).map(|(_, number)| *number);
        let candidate = |number: usize| {
            let mean = self.means.get(number)?;
            Some(Candidate {
                number,
                mean,
                half_square: half_square(mean),
            })
        };
        numbers.filter_map(candidate).collect()
    }
}

fn nearest(candidates: &[Candidate<'_>], vector: &[f32]) -> Option<usize> {
    let nearness = |candidate: &Candidate<'_>| dot(vector, candidate.mean) - candidate.half_square;
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
            let centre = finder.rotation.undo(finder.centres.get(number));
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
