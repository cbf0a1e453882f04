//! The random hyperplanes and the bucket numbers they give.

use crate::gaussian::Gaussian;
use crate::kernels::dot;

/// Hyperplanes through the origin, `functions` for each of `tables`.
pub(crate) struct Planes {
    dimension: usize,
    functions: usize,
    normals: Vec<f32>,
}

impl Planes {
    /// Normals with standard normal components, drawn table by table and plane by plane.
    pub(crate) fn new(dimension: usize, functions: usize, tables: usize, seed: u64) -> Self {
        let components = dimension * functions * tables;
        Self {
            dimension,
            functions,
            normals: Gaussian::from_seed(seed).take(components).collect(),
        }
    }

    /// Signed distances to every hyperplane, in the order of tables and functions.
    pub(crate) fn margins(&self, vector: &[f32]) -> Vec<f32> {
        let normals = self.normals.chunks_exact(self.dimension.max(1));
        normals.map(|normal| dot(normal, vector)).collect()
    }

    /// The bucket in each table.
    pub(crate) fn buckets(&self, vector: &[f32]) -> Vec<u32> {
        let margins = self.margins(vector);
        margins.chunks_exact(self.functions).map(bucket).collect()
    }
}

/// One bit per function, set on the positive side; the first function is the lowest bit.
pub(crate) fn bucket(margins: &[f32]) -> u32 {
    let bits = margins.iter().zip(0..);
    bits.fold(0, |bucket, (margin, bit)| {
        bucket | (u32::from(*margin >= 0.0) << bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_reads_the_sides_from_the_lowest_bit() {
        assert_eq!(bucket(&[1.0, -1.0, 0.0, -0.5]), 0b0101);
    }

    #[test]
    fn opposite_vectors_share_no_bit() {
        let planes = Planes::new(3, 8, 2, 1);
        let there = planes.buckets(&[0.1, -0.7, 0.2]);
        let back = planes.buckets(&[-0.1, 0.7, -0.2]);
        assert!(there.iter().zip(&back).all(|(a, b)| a ^ b == 0xff));
    }
}
