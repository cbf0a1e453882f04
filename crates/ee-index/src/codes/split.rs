//! Dividing a partition that has grown too large.

use super::centres::half_square;
use crate::vectors::{Slot, Vectors};

const ROUNDS: usize = 6;

/// Two groups of slots and their centres.
pub(super) struct Halves {
    pub(super) centres: [Vec<f32>; 2],
    pub(super) members: [Vec<Slot>; 2],
}

/// Lloyd's algorithm for two centres, from the member farthest from the mean and the member
/// farthest from that one; `None` if the members cannot be told apart.
pub(super) fn halve(vectors: &Vectors, slots: &[Slot]) -> Option<Halves> {
    let first = farthest(vectors, slots, &mean(vectors, slots))?;
    let second = farthest(vectors, slots, vectors.vector(first))?;
    let mut centres = [first, second].map(|slot| vectors.vector(slot).to_vec());
    let mut members = divide(vectors, slots, &centres);
    for _ in 0..ROUNDS {
        centres =
            [0, 1].map(|side: usize| mean(vectors, members.get(side).map_or(&[], Vec::as_slice)));
        members = divide(vectors, slots, &centres);
    }
    let both = members.iter().all(|side| !side.is_empty());
    both.then_some(Halves { centres, members })
}

fn farthest(vectors: &Vectors, slots: &[Slot], from: &[f32]) -> Option<Slot> {
    let distance = |slot: &Slot| half_square(vectors.vector(*slot)) - vectors.cosine(from, *slot);
    slots
        .iter()
        .copied()
        .max_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn divide(vectors: &Vectors, slots: &[Slot], centres: &[Vec<f32>; 2]) -> [Vec<Slot>; 2] {
    let [left, right] = centres;
    let bar = half_square(left) - half_square(right);
    let nearer_left =
        |slot: &Slot| vectors.cosine(left, *slot) - vectors.cosine(right, *slot) > bar;
    let (left, right) = slots.iter().partition(|slot| nearer_left(slot));
    [left, right]
}

pub(super) fn mean(vectors: &Vectors, slots: &[Slot]) -> Vec<f32> {
    let mut sum = vec![0.0; vectors.dimension()];
    for slot in slots {
        for (total, component) in sum.iter_mut().zip(vectors.vector(*slot)) {
            *total += component;
        }
    }
    let count = slots.len().max(1) as f32;
    sum.iter().map(|total| total / count).collect()
}
