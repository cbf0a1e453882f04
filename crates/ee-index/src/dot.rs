//! The inner product.

const LANES: usize = 16;

/// The inner product of two vectors of the same length; the rest of a longer one is ignored.
/// Never −0, so that equal products compare as equal.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left_blocks, left_rest) = left.as_chunks::<LANES>();
    let (right_blocks, right_rest) = right.as_chunks::<LANES>();
    let mut lanes = [0.0_f32; LANES];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for (lane, (a, b)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            *lane += a * b;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_definition_at_every_length() {
        for length in 0..70_u16 {
            let left: Vec<f32> = (0..length).map(|i| f32::from(i) - 20.0).collect();
            let right: Vec<f32> = (0..length).map(|i| 3.0 - f32::from(i)).collect();
            let expected: f32 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
            assert!((dot(&left, &right) - expected).abs() < 1e-2, "{length}");
        }
    }

    #[test]
    fn zero_has_one_sign() {
        assert!(dot(&[-0.0], &[1.0]).is_sign_positive());
    }
}
