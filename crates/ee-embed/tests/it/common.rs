//! What several tests need.

/// Cosine of two unit-length vectors.
#[allow(dead_code, reason = "used by tests that need the models")]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
