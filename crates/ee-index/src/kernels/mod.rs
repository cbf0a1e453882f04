//! The inner loops, in the best form that the processor has.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use std::sync::LazyLock;

/// Codes per block: one byte lane of a 256-bit register each.
pub(crate) const BLOCK: usize = 32;

/// The inner loops. Every form gives the same sums; inner products agree up to rounding.
struct Kernels {
    dot: fn(&[f32], &[f32]) -> f32,
    estimates: fn(&Estimator<'_>, &Block<'_>, &mut [f32; BLOCK]),
}

static KERNELS: LazyLock<Kernels> = LazyLock::new(detect);

fn detect() -> Kernels {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = avx2::kernels() {
        return kernels;
    }
    portable::kernels()
}

/// The inner product of two vectors of the same length; the rest of a longer one is ignored.
/// Never −0, so that equal products compare as equal.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    (KERNELS.dot)(left, right) + 0.0
}

/// What a query contributes to the estimates of a partition.
pub(crate) struct Estimator<'a> {
    /// For every row of a block two lists of 16 bytes, the first looked up by the low halves of
    /// the row's bytes, the second by the high halves. The largest entries of the four lists of a
    /// pair of rows add up to at most 255, those of all lists to at most 65,535.
    pub(crate) table: &'a [u8],
    /// Taken times the sum of what a code finds.
    pub(crate) factor: f32,
    /// Subtracted from that.
    pub(crate) shift: f32,
    /// Added to every estimate.
    pub(crate) base: f32,
}

/// 32 sign codes and the numbers that make estimates of them.
pub(crate) struct Block<'a> {
    /// An even number of rows of 32 bytes, one byte per code.
    pub(crate) rows: &'a [u8],
    pub(crate) offsets: &'a [f32; BLOCK],
    pub(crate) scales: &'a [f32; BLOCK],
}

/// Estimates 32 cosines: base + offset + scale · (factor · sum − shift), with the sum of what the
/// code's halves find in the table.
pub(crate) fn estimates(estimator: &Estimator<'_>, block: &Block<'_>, out: &mut [f32; BLOCK]) {
    (KERNELS.estimates)(estimator, block, out);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_detected_dot_agrees_with_the_portable_one(
            pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..200),
        ) {
            let (left, right): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let expected = (portable::kernels().dot)(&left, &right);
            prop_assert!((dot(&left, &right) - expected).abs() < 1e-4);
        }

        #[test]
        fn the_detected_estimates_are_the_portable_ones(
            (rows, table) in (1_usize..40).prop_flat_map(|pairs| {
                let bytes = pairs * 2 * BLOCK;
                let rows = prop::collection::vec(any::<u8>(), bytes);
                (rows, prop::collection::vec(0_u8..=60, bytes))
            }),
            offsets in prop::array::uniform32(-1.0_f32..1.0),
            scales in prop::array::uniform32(0.0_f32..0.1),
            base in -1.0_f32..1.0,
        ) {
            let estimator = Estimator { table: &table, factor: 0.01, shift: 0.5, base };
            let block = Block { rows: &rows, offsets: &offsets, scales: &scales };
            let (mut expected, mut found) = ([0.0; BLOCK], [0.0; BLOCK]);
            (portable::kernels().estimates)(&estimator, &block, &mut expected);
            estimates(&estimator, &block, &mut found);
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
            }
        }
    }

    #[test]
    fn zero_has_one_sign() {
        assert!(dot(&[-0.0], &[1.0]).is_sign_positive());
    }
}
