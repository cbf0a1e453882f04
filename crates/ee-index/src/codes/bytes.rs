//! Vectors rounded to bytes, for products that need not be exact.

use crate::kernels::MOVED_UP;

/// The largest step.
const MOST: f32 = 127.0;

/// Components in steps of a size that makes the largest 127.
pub(super) struct ByteVector {
    pub(super) steps: Vec<i8>,
    /// Size of a step.
    pub(super) step: f32,
}

impl ByteVector {
    /// Rounds to the nearest step: an error of at most half a step in every component.
    pub(super) fn new(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        let step = if largest > 0.0 { largest / MOST } else { 1.0 };
        Self {
            steps: vector
                .iter()
                .map(|x| (x / step + 0.5_f32.copysign(*x)) as i8)
                .collect(),
            step,
        }
    }

    /// The steps without sign, as rows of products take them.
    pub(super) fn moved_up(&self) -> impl Iterator<Item = u8> + '_ {
        self.steps
            .iter()
            .map(|step| step.cast_unsigned() ^ MOVED_UP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_back_within_half_a_step() {
        let vector = [0.5, -0.25, 0.0, 0.1234, -0.5];
        let bytes = ByteVector::new(&vector);
        for (steps, component) in bytes.steps.iter().zip(vector) {
            assert!((f32::from(*steps) * bytes.step - component).abs() <= bytes.step / 2.0 + 1e-6);
        }
        assert_eq!(ByteVector::new(&[0.0; 3]).steps, [0; 3]);
    }
}
