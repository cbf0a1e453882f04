//! The inner loops one by one, for benchmarks.

use super::{BLOCK, Block, Estimator, Kernels, available};

/// The inner loops in one form that this machine can run.
pub struct Form(Kernels);

/// Every form that this machine can run, the portable one first, the one that is used last.
pub fn forms() -> Vec<Form> {
    available().into_iter().map(Form).collect()
}

impl Form {
    /// The instructions it uses, as [`instructions`](crate::instructions) tells.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// The inner product of two vectors of the same length.
    pub fn inner_product(&self, left: &[f32], right: &[f32]) -> f32 {
        (self.0.dot)(left, right)
    }

    /// The inner products of a vector of bytes, −127 to 127, with every row of the same length: a
    /// multiple of 64 below 32,768. The bytes of rows are moved up by 128.
    pub fn byte_products(&self, query: &[i8], rows: &[u8], out: &mut [i32]) {
        (self.0.products)(query, rows, out);
    }

    /// Estimates of 32 sign codes, row by row a byte each, from a table of 32 bytes a row whose
    /// entries are at most 60. The number of rows is a multiple of four, at most 1,024. Returns a
    /// mask of the codes whose sum exceeds the bar.
    pub fn estimates(&self, rows: &[u8], table: &[u8], bar: f32) -> u32 {
        let estimator = Estimator {
            table,
            factor: 1.0,
            shift: 0.0,
            base: 0.0,
        };
        let block = Block {
            rows,
            offsets: &[0.0; BLOCK],
            scales: &[1.0; BLOCK],
        };
        (self.0.estimates)(&estimator, &block, bar, &mut [0.0; BLOCK])
    }
}
