//! A random rotation that takes n log n steps.
//!
//! Rounds of random signs and Hadamard transforms act like a uniformly random rotation: Andoni,
//! Indyk, Laarhoven, Razenshteyn, Schmidt, "Practical and optimal LSH for angular distance" (NIPS
//! 2015), section 4. The transform takes a power of two of coordinates; of other widths every
//! round transforms the front and then the back, which overlap.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::kernels::{BYTES_UNIT, hadamard};

const ROUNDS: usize = 3;

/// Rotates vectors into a space of a multiple of 64 dimensions, keeping inner products.
#[derive(Clone)]
pub(super) struct Rotation {
    dimension: usize,
    width: usize,
    /// The largest power of two up to the width.
    span: usize,
    /// Of one round after the other.
    signs: Vec<f32>,
}

impl Rotation {
    pub(super) fn new(dimension: usize, seed: u64) -> Self {
        let width = dimension.max(1).next_multiple_of(BYTES_UNIT);
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let sign = || {
            if generator.next_u32() & 1 == 0 {
                1.0
            } else {
                -1.0
            }
        };
        Self {
            dimension,
            width,
            span: 1 << width.ilog2(),
            signs: std::iter::repeat_with(sign).take(ROUNDS * width).collect(),
        }
    }

    /// Coordinates after the rotation.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let mut rotated = Vec::with_capacity(self.width);
        rotated.extend_from_slice(vector);
        rotated.resize(self.width, 0.0);
        for signs in self.signs.chunks_exact(self.width) {
            for (component, sign) in rotated.iter_mut().zip(signs) {
                *component *= sign;
            }
            self.transform(rotated.get_mut(..self.span));
            if self.span < self.width {
                self.transform(rotated.get_mut(self.width - self.span..));
            }
        }
        rotated
    }

    /// The vector whose rotation this is.
    pub(super) fn undo(&self, rotated: &[f32]) -> Vec<f32> {
        let mut vector = rotated.to_vec();
        for signs in self.signs.chunks_exact(self.width).rev() {
            if self.span < self.width {
                self.transform(vector.get_mut(self.width - self.span..));
            }
            self.transform(vector.get_mut(..self.span));
            for (component, sign) in vector.iter_mut().zip(signs) {
                *component *= sign;
            }
        }
        vector.truncate(self.dimension);
        vector
    }

    /// The normalised transform of a part of `span` coordinates.
    fn transform(&self, part: Option<&mut [f32]>) {
        let Some(part) = part else { return };
        hadamard(part);
        let scale = 1.0 / (self.span as f32).sqrt();
        for component in part {
            *component *= scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::clustered;
    use crate::kernels::dot;

    #[test]
    fn inner_products_survive() {
        for (dimension, width) in [(1, 64), (64, 64), (100, 128), (384, 384), (768, 768)] {
            let rotation = Rotation::new(dimension, 42);
            let vectors = clustered(20, dimension, 20, 1);
            for pair in vectors.windows(2) {
                let rotated = dot(&rotation.apply(&pair[0]), &rotation.apply(&pair[1]));
                assert!((rotated - dot(&pair[0], &pair[1])).abs() < 1e-5);
            }
            assert_eq!(rotation.apply(&vectors[0]).len(), width);
        }
    }

    #[test]
    fn a_rotation_can_be_undone() {
        for dimension in [64, 100, 384] {
            let rotation = Rotation::new(dimension, 42);
            for vector in clustered(5, dimension, 5, 2) {
                let back = rotation.undo(&rotation.apply(&vector));
                assert_eq!(back.len(), dimension);
                let mut pairs = vector.iter().zip(&back);
                assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-5));
            }
        }
    }

    #[test]
    fn one_coordinate_spreads_over_all() {
        let rotation = Rotation::new(384, 42);
        for axis in [0, 200, 383] {
            let mut vector = vec![0.0; 384];
            vector[axis] = 1.0;
            let rotated = rotation.apply(&vector);
            let largest = rotated.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
            let absolute: f32 = rotated.iter().map(|x| x.abs()).sum();
            // Of a normal distribution: √(2/π) · √384 is 15.6, √(2 ln 384 / 384) is 0.18.
            assert!((absolute - 15.6).abs() < 1.6, "axis {axis}: {absolute}");
            assert!(largest < 0.27, "axis {axis}: {largest}");
        }
    }
}
