//! The sign code of a vector relative to a centre.

/// Signs of the rotated difference from a centre, and the two numbers that make an estimate of
/// the cosine of them.
///
/// With x the rotated difference, c the rotated centre, q the rotated query and s(v) = Σ ±vᵢ under
/// the signs of x, the estimate of ⟨q, c + x⟩ is ⟨q, c⟩ + `offset` + `scale` · s(q), where `scale`
/// = |x|² / Σ|xᵢ| and `offset` = ⟨c, x⟩ − `scale` · s(c): the `RaBitQ` estimate of ⟨q − c, x⟩ with
/// everything that does not depend on the query drawn together.
pub(super) struct Code {
    /// One bit per coordinate, set where it is not negative, the first in the lowest bit.
    pub(super) bits: Vec<u8>,
    pub(super) offset: f32,
    pub(super) scale: f32,
}

impl Code {
    /// Stands where there is no vector: its estimate exceeds no bar.
    pub(super) fn absent() -> Self {
        Self {
            bits: Vec::new(),
            offset: f32::NEG_INFINITY,
            scale: 0.0,
        }
    }

    /// Encodes a rotated vector relative to a rotated centre.
    pub(super) fn new(rotated: &[f32], centre: &[f32]) -> Self {
        let difference: Vec<f32> = rotated.iter().zip(centre).map(|(v, c)| v - c).collect();
        let square: f32 = difference.iter().map(|x| x * x).sum();
        let absolute: f32 = difference.iter().map(|x| x.abs()).sum();
        let scale = if absolute > 0.0 {
            square / absolute
        } else {
            0.0
        };
        let pairs = difference.iter().zip(centre);
        let offset = pairs
            .map(|(x, c)| c * (x - scale * 1.0_f32.copysign(*x)))
            .sum();
        let bits = difference.chunks(8).map(signs).collect();
        Self {
            bits,
            offset,
            scale,
        }
    }
}

fn signs(values: &[f32]) -> u8 {
    let positions = values.iter().zip(0..);
    positions.fold(0, |byte, (value, position)| {
        byte | (u8::from(value.is_sign_positive()) << position)
    })
}
