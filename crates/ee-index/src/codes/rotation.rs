//! A random rotation that takes n log n steps.
//!
//! Three rounds of random signs and a Hadamard transform act like a uniformly random rotation:
//! Andoni, Indyk, Laarhoven, Razenshteyn, Schmidt, "Practical and optimal LSH for angular
//! distance" (NIPS 2015), section 4.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const ROUNDS: usize = 3;

/// The fewest coordinates after the rotation; codes fill whole pairs of rows then.
const MIN_WIDTH: usize = 64;

/// Rotates vectors into a space of a power of two of dimensions, keeping inner products.
pub(super) struct Rotation {
    width: usize,
    signs: Vec<f32>,
}

impl Rotation {
    pub(super) fn new(dimension: usize, seed: u64) -> Self {
        let width = dimension.next_power_of_two().max(MIN_WIDTH);
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let sign = || {
            if generator.next_u32() & 1 == 0 {
                1.0
            } else {
                -1.0
            }
        };
        Self {
            width,
            signs: std::iter::repeat_with(sign).take(ROUNDS * width).collect(),
        }
    }

    pub(super) fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let mut rotated = vector.to_vec();
        rotated.resize(self.width, 0.0);
        let scale = 1.0 / (self.width as f32).sqrt();
        for signs in self.signs.chunks_exact(self.width) {
            for (component, sign) in rotated.iter_mut().zip(signs) {
                *component *= sign * scale;
            }
            hadamard(&mut rotated);
        }
        rotated
    }
}

/// The unnormalised Walsh–Hadamard transform, in place.
fn hadamard(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::clustered;
    use crate::kernels::dot;

    #[test]
    fn inner_products_survive() {
        let rotation = Rotation::new(100, 42);
        let vectors = clustered(20, 100, 20, 1);
        for pair in vectors.windows(2) {
            let rotated = dot(&rotation.apply(&pair[0]), &rotation.apply(&pair[1]));
            assert!((rotated - dot(&pair[0], &pair[1])).abs() < 1e-5);
        }
        assert_eq!(rotation.apply(&vectors[0]).len(), 128);
    }
}
