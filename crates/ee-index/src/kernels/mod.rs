//! The inner loops, in the best form that the processor has.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(feature = "conformance")]
pub(crate) mod forms;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod prefetch;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub(crate) use prefetch::prefetch;

/// Codes per block: one byte lane of a 256-bit register each.
pub(crate) const BLOCK: usize = 32;

/// What an entry of an [`Estimator`]'s table may be at most: four of them fit into a byte.
pub(crate) const MOST_ENTRY: u8 = 60;

/// Rows of bytes come in multiples of this length.
pub(crate) const BYTES_UNIT: usize = 64;

/// The inner loops. Every form gives the same whole numbers; inner products of floats agree up to
/// rounding.
struct Kernels {
    name: &'static str,
    dot: fn(&[f32], &[f32]) -> f32,
    estimates: fn(&Estimator<'_>, &Block<'_>, f32, &mut [f32; BLOCK]) -> u32,
    products: fn(&[i8], &[u8], &mut [i32]),
    hadamard: fn(&mut [f32]),
}

static KERNELS: LazyLock<Kernels> = LazyLock::new(|| {
    let best = available().pop();
    best.unwrap_or_else(portable::kernels)
});

/// The forms that this processor can run, the best last.
fn available() -> Vec<Kernels> {
    let mut found = vec![portable::kernels()];
    #[cfg(target_arch = "x86_64")]
    found.extend(avx2::kernels().into_iter().chain(avx512::kernels()));
    #[cfg(target_arch = "aarch64")]
    found.extend(neon::kernels());
    found
}

/// Which instructions the inner loops use on this machine: `portable`, `AVX2`, `AVX-512` or `NEON`.
pub fn instructions() -> &'static str {
    KERNELS.name
}

/// The inner product of two vectors of the same length; the rest of a longer one is ignored.
/// Never −0, so that equal products compare as equal.
#[inline]
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    (KERNELS.dot)(left, right) + 0.0
}

/// What a query contributes to the estimates of a partition.
pub(crate) struct Estimator<'a> {
    /// For every row of a block two lists of 16 bytes, the first looked up by the low halves of
    /// the row's bytes, the second by the high halves. Entries are at most [`MOST_ENTRY`], and
    /// the largest of all lists add up to at most 65,535.
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
    /// A multiple of four rows of 32 bytes, one byte per code.
    pub(crate) rows: &'a [u8],
    pub(crate) offsets: &'a [f32; BLOCK],
    pub(crate) scales: &'a [f32; BLOCK],
}

/// Estimates 32 cosines: base + offset + scale · (factor · sum − shift), with the sum of what the
/// code's halves find in the table. Returns a mask of those that exceed the bar, the first in the
/// lowest bit.
#[inline]
pub(crate) fn estimates(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
) -> u32 {
    (KERNELS.estimates)(estimator, block, bar, out)
}

/// What bytes of rows are moved up by, so that they need no sign.
pub(crate) const MOVED_UP: u8 = 128;

/// The inner products of a vector of bytes with every row of the same length. Components are −127
/// to 127, those of rows moved up by [`MOVED_UP`]; the length is a multiple of [`BYTES_UNIT`] below
/// 32,768; `out` has one place per row.
#[inline]
pub(crate) fn products(query: &[i8], rows: &[u8], out: &mut [i32]) {
    (KERNELS.products)(query, rows, out);
}

/// The unnormalised Walsh–Hadamard transform in place, of a power of two of values, at least eight.
/// Every form gives the same numbers.
#[inline]
pub(crate) fn hadamard(values: &mut [f32]) {
    (KERNELS.hadamard)(values);
}
