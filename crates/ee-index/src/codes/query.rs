//! A query made ready for estimating from codes.

use crate::kernels::{Estimator, MOST_ENTRY};

/// The table of what each half byte of a code adds to the estimate.
///
/// Coordinates are rounded to whole steps; an entry counts the steps of the coordinates whose sign
/// the half byte shares. With u the sum of a code's entries, Σ ±qᵢ is about `step` · (2u − total).
pub(super) struct QueryTable {
    entries: Vec<u8>,
    step: f32,
    total: f32,
}

/// Steps for the largest coordinate; a half byte stands for four coordinates.
const MOST_STEPS: usize = MOST_ENTRY as usize / 4;

impl QueryTable {
    /// From the rotated query.
    pub(super) fn new(rotated: &[f32]) -> Self {
        let most = MOST_STEPS.min(usize::from(u16::MAX) / rotated.len().max(1)) as f32;
        let largest = rotated.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        let step = if largest > 0.0 { largest / most } else { 1.0 };
        let rounded: Vec<u8> = rotated
            .iter()
            .map(|x| (x.abs() / step).round() as u8)
            .collect();
        let mut entries = Vec::with_capacity(rotated.len() * 4);
        for (steps, values) in rounded.chunks_exact(4).zip(rotated.chunks_exact(4)) {
            entries.extend_from_slice(&list(steps, values));
        }
        Self {
            entries,
            step,
            total: rounded.iter().map(|steps| f32::from(*steps)).sum(),
        }
    }

    /// For a partition, given the query's product with its centre.
    pub(super) fn estimator(&self, base: f32) -> Estimator<'_> {
        Estimator {
            table: &self.entries,
            factor: 2.0 * self.step,
            shift: self.step * self.total,
            base,
        }
    }
}

/// For every half byte the steps of the coordinates whose signs it shares.
fn list(steps: &[u8], values: &[f32]) -> [u8; 16] {
    let mut list = [0; 16];
    for ((steps, value), bit) in steps.iter().zip(values).zip(0..) {
        let positive = u8::from(value.is_sign_positive());
        for (entry, half) in list.iter_mut().zip(0_u8..) {
            *entry += steps * u8::from((half >> bit) & 1 == positive);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::code::Code;
    use crate::codes::partition::Partition;
    use crate::codes::rotation::Rotation;
    use crate::conformance::clustered;
    use crate::kernels::dot;

    /// Errors of the estimates of 400 cosines under one rotation.
    fn errors(seed: u64) -> Vec<f32> {
        let rotation = Rotation::new(384, seed);
        let vectors = clustered(400, 384, 20, 1);
        let [query, centre] = [&vectors[0], &vectors[20]].map(|vector| rotation.apply(vector));
        let mut partition = Partition::new(centre.len());
        for (slot, vector) in (0..).zip(&vectors) {
            partition.push(slot, &Code::new(&rotation.apply(vector), &centre));
        }
        let mut errors = Vec::new();
        let table = QueryTable::new(&query);
        let estimator = table.estimator(dot(&query, &centre));
        partition.scan(&estimator, f32::NEG_INFINITY, |estimate, slot| {
            errors.push(estimate - dot(&vectors[0], &vectors[slot as usize]));
            f32::NEG_INFINITY
        });
        assert_eq!(errors.len(), 400);
        errors
    }

    #[test]
    fn estimates_are_near_and_unbiased_over_rotations() {
        let errors: Vec<f32> = (0..20).flat_map(errors).collect();
        let count = errors.len() as f32;
        let mean = errors.iter().sum::<f32>() / count;
        let deviation = (errors.iter().map(|e| e * e).sum::<f32>() / count).sqrt();
        assert!(mean.abs() < 0.005, "mean error {mean}");
        assert!(deviation < 0.05, "deviation {deviation}");
    }
}
