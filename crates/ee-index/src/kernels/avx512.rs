//! The inner loops for x86-64 with AVX-512 and its instructions for byte products.

#![allow(unsafe_code, reason = "vector loads and calls under detected features")]

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_add_epi16, _mm512_add_epi8, _mm512_add_epi16, _mm512_add_ps,
    _mm512_and_si512, _mm512_castsi512_si256, _mm512_dpbusd_epi32, _mm512_extracti64x4_epi64,
    _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_reduce_add_epi32,
    _mm512_reduce_add_ps, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_setzero_ps,
    _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_shuffle_i32x4, _mm512_srli_epi16,
};

use super::avx2::{finish, hadamard};
use super::{BLOCK, BYTES_UNIT, Block, Estimator, Kernels, MOVED_UP};

/// These loops, if the processor has what they need.
pub(super) fn kernels() -> Option<Kernels> {
    let present = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni");
    present.then_some(Kernels {
        name: "AVX-512",
        dot,
        estimates,
        products,
        hadamard,
    })
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    // SAFETY: only `kernels` hands this function out, after finding its features.
    unsafe { dot_avx512(left, right) }
}

fn estimates(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
) -> u32 {
    // SAFETY: only `kernels` hands this function out, after finding its features.
    unsafe { estimates_avx512(estimator, block, bar, out) }
}

fn products(query: &[i8], rows: &[u8], out: &mut [i32]) {
    // SAFETY: only `kernels` hands this function out, after finding its features.
    unsafe { products_avx512(query, rows, out) }
}

#[target_feature(enable = "avx512f")]
fn dot_avx512(left: &[f32], right: &[f32]) -> f32 {
    let (left_blocks, left_rest) = left.as_chunks::<64>();
    let (right_blocks, right_rest) = right.as_chunks::<64>();
    let mut lanes = [_mm512_setzero_ps(); 4];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        let (left, _) = left.as_chunks::<16>();
        let (right, _) = right.as_chunks::<16>();
        for (lane, (a, b)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            // SAFETY: both arrays are sixteen floats long, and unaligned loads are used.
            let (a, b) = unsafe { (_mm512_loadu_ps(a.as_ptr()), _mm512_loadu_ps(b.as_ptr())) };
            *lane = _mm512_fmadd_ps(a, b, *lane);
        }
    }
    let [first, second, third, fourth] = lanes;
    let lanes = _mm512_add_ps(_mm512_add_ps(first, second), _mm512_add_ps(third, fourth));
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    _mm512_reduce_add_ps(lanes) + rest
}

#[target_feature(enable = "avx2,fma,avx512f,avx512bw")]
fn estimates_avx512(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
) -> u32 {
    let (even, odd) = sums(block.rows, estimator.table);
    finish(estimator, block, bar, out, even, odd)
}

/// The sums of what 32 codes find, as 16-bit numbers: those of even and those of odd codes. Two
/// rows go side by side; the four bytes added before widening stay below 256.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn sums(rows: &[u8], table: &[u8]) -> (__m256i, __m256i) {
    let (row_fours, _) = rows.as_chunks::<{ 4 * BLOCK }>();
    let (list_fours, _) = table.as_chunks::<{ 4 * BLOCK }>();
    let low_bytes = _mm512_set1_epi16(0x00ff);
    let (mut even, mut odd) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for (rows, lists) in row_fours.iter().zip(list_fours) {
        let (rows, _) = rows.as_chunks::<{ 2 * BLOCK }>();
        let (lists, _) = lists.as_chunks::<{ 2 * BLOCK }>();
        let mut four = _mm512_setzero_si512();
        for (rows, lists) in rows.iter().zip(lists) {
            four = _mm512_add_epi8(four, look_up(rows, lists));
        }
        even = _mm512_add_epi16(even, _mm512_and_si512(four, low_bytes));
        odd = _mm512_add_epi16(odd, _mm512_srli_epi16::<8>(four));
    }
    (folded(even), folded(odd))
}

/// The sum of both halves.
#[target_feature(enable = "avx2,avx512f")]
#[inline]
fn folded(lanes: __m512i) -> __m256i {
    let back = _mm512_extracti64x4_epi64::<1>(lanes);
    _mm256_add_epi16(_mm512_castsi512_si256(lanes), back)
}

/// What each of 64 bytes, two rows, finds in its two lists, added up.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn look_up(rows: &[u8; 2 * BLOCK], lists: &[u8; 2 * BLOCK]) -> __m512i {
    let half = _mm512_set1_epi8(0x0f);
    let (codes, lists) = (loaded(rows), loaded(lists));
    let low = _mm512_shuffle_i32x4::<0b10_10_00_00>(lists, lists);
    let high = _mm512_shuffle_i32x4::<0b11_11_01_01>(lists, lists);
    let low = _mm512_shuffle_epi8(low, _mm512_and_si512(codes, half));
    let halves = _mm512_and_si512(_mm512_srli_epi16::<4>(codes), half);
    _mm512_add_epi8(low, _mm512_shuffle_epi8(high, halves))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn loaded<T>(bytes: &[T; 64]) -> __m512i {
    const { assert!(size_of::<T>() == 1) };
    // SAFETY: the array is 64 bytes long, and an unaligned load is used.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// The instruction multiplies bytes without sign, here those of rows, by bytes with sign: what the
/// rows were moved up by is taken off again, as so many times the sum of the query.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products_avx512(query: &[i8], rows: &[u8], out: &mut [i32]) {
    let excess = i32::from(MOVED_UP) * query.iter().map(|step| i32::from(*step)).sum::<i32>();
    let (query_parts, _) = query.as_chunks::<BYTES_UNIT>();
    let length = query.len().max(1);
    let (fours, rest) = out.as_chunks_mut::<4>();
    let (row_fours, row_rest) = rows.split_at((fours.len() * 4 * length).min(rows.len()));
    for (products, rows) in fours.iter_mut().zip(row_fours.chunks_exact(4 * length)) {
        let mut sums = [_mm512_setzero_si512(); 4];
        for (place, query) in query_parts.iter().enumerate() {
            let query = loaded(query);
            for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(length)) {
                if let Some(row) = row.as_chunks::<BYTES_UNIT>().0.get(place) {
                    *sum = _mm512_dpbusd_epi32(*sum, loaded(row), query);
                }
            }
        }
        *products = sums.map(|sum| _mm512_reduce_add_epi32(sum) - excess);
    }
    for (product, row) in rest.iter_mut().zip(row_rest.chunks_exact(length)) {
        let (row_parts, _) = row.as_chunks::<BYTES_UNIT>();
        let mut sum = _mm512_setzero_si512();
        for (query, row) in query_parts.iter().zip(row_parts) {
            sum = _mm512_dpbusd_epi32(sum, loaded(row), loaded(query));
        }
        *product = _mm512_reduce_add_epi32(sum) - excess;
    }
}
