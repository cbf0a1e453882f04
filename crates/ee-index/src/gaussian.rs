//! Normally distributed numbers from a seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A stream of independent standard normal numbers: `ChaCha` with 8 rounds, whose output is the
/// same on every machine, through the transform of Box and Muller (1958).
pub(crate) struct Gaussian {
    generator: ChaCha8Rng,
    spare: Option<f64>,
}

impl Gaussian {
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self {
            generator: ChaCha8Rng::seed_from_u64(seed),
            spare: None,
        }
    }

    /// Uniform in (0, 1], 53 bits.
    fn uniform(&mut self) -> f64 {
        ((self.generator.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}

impl Iterator for Gaussian {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        if let Some(spare) = self.spare.take() {
            return Some(spare as f32);
        }
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        self.spare = Some(radius * sine);
        Some((radius * cosine) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_mean_zero_and_variance_one() {
        let sample: Vec<f32> = Gaussian::from_seed(42).take(100_000).collect();
        let mean = sample.iter().sum::<f32>() / 1e5;
        let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 1e5;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn a_seed_gives_the_same_numbers_everywhere() {
        let first: Vec<f32> = Gaussian::from_seed(42).take(4).collect();
        let expected = [0.832_712_2, -0.268_972_4, -0.908_052_7, -0.935_396];
        for (a, b) in first.iter().zip(expected) {
            assert!((a - b).abs() < 1e-6, "{first:?}");
        }
    }
}
