//! The inner loops for x86-64 with AVX2 and FMA.
//!
//! The sums are the "fast scan" of André, Kermarrec, Le Scouarnec, "Cache locality is not enough:
//! high-performance nearest neighbor search with product quantization fast scan" (VLDB 2015): a
//! byte shuffle looks up 32 codes at once in a table that stays in registers.

#![allow(
    unsafe_code,
    reason = "vector loads, stores and calls under detected features"
)]

use std::arch::x86_64::{
    __m256i, _CMP_GT_OQ, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32,
    _mm256_add_epi8, _mm256_add_epi16, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cmp_ps, _mm256_cvtepi8_epi16,
    _mm256_cvtepi32_ps, _mm256_cvtepu8_epi16, _mm256_cvtepu16_epi32, _mm256_extracti128_si256,
    _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_movemask_ps, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_storeu_ps,
    _mm256_sub_epi16, _mm256_unpackhi_epi16, _mm256_unpacklo_epi16,
};

use super::{BLOCK, Block, Estimator, Kernels, MOVED_UP, portable};

/// These loops, if the processor has what they need.
pub(super) fn kernels() -> Option<Kernels> {
    let present = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    present.then_some(Kernels {
        name: "AVX2",
        dot,
        estimates,
        products,
        hadamard,
    })
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    // SAFETY: only `kernels` hands this function out, after finding AVX2 and FMA.
    unsafe { dot_avx2(left, right) }
}

fn estimates(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
) -> u32 {
    // SAFETY: only `kernels` hands this function out, after finding AVX2 and FMA.
    unsafe { estimates_avx2(estimator, block, bar, out) }
}

pub(super) fn hadamard(values: &mut [f32]) {
    // SAFETY: only this module's and AVX-512's `kernels` hand this function out, after finding its
    // features.
    unsafe { hadamard_avx2(values) }
}

fn products(query: &[i8], rows: &[u8], out: &mut [i32]) {
    // SAFETY: only `kernels` hands this function out, after finding AVX2 and FMA.
    unsafe { products_avx2(query, rows, out) }
}

#[target_feature(enable = "avx2,fma")]
fn dot_avx2(left: &[f32], right: &[f32]) -> f32 {
    let (left_blocks, left_rest) = left.as_chunks::<32>();
    let (right_blocks, right_rest) = right.as_chunks::<32>();
    let mut lanes = [_mm256_setzero_ps(); 4];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        let (left, _) = left.as_chunks::<8>();
        let (right, _) = right.as_chunks::<8>();
        for (lane, (a, b)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            // SAFETY: both arrays are eight floats long, and unaligned loads are used.
            let (a, b) = unsafe { (_mm256_loadu_ps(a.as_ptr()), _mm256_loadu_ps(b.as_ptr())) };
            *lane = _mm256_fmadd_ps(a, b, *lane);
        }
    }
    let [first, second, third, fourth] = lanes;
    let lanes = _mm256_add_ps(_mm256_add_ps(first, second), _mm256_add_ps(third, fourth));
    let mut sums = [0.0_f32; 8];
    // SAFETY: `sums` is eight floats long, and an unaligned store is used.
    unsafe { _mm256_storeu_ps(sums.as_mut_ptr(), lanes) };
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[target_feature(enable = "avx2,fma")]
fn estimates_avx2(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
) -> u32 {
    let (even, odd) = sums(block.rows, estimator.table);
    finish(estimator, block, bar, out, even, odd)
}

/// Makes estimates of the sums of the codes with even and with odd numbers, 16-bit each.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn finish(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
    even: __m256i,
    odd: __m256i,
) -> u32 {
    let low = _mm256_unpacklo_epi16(even, odd);
    let high = _mm256_unpackhi_epi16(even, odd);
    let sums = [
        _mm256_castsi256_si128(low),
        _mm256_castsi256_si128(high),
        _mm256_extracti128_si256::<1>(low),
        _mm256_extracti128_si256::<1>(high),
    ];
    let factor = _mm256_set1_ps(estimator.factor);
    let shift = _mm256_set1_ps(estimator.shift);
    let base = _mm256_set1_ps(estimator.base);
    let bar = _mm256_set1_ps(bar);
    let (offsets, _) = block.offsets.as_chunks::<8>();
    let (scales, _) = block.scales.as_chunks::<8>();
    let (out, _) = out.as_chunks_mut::<8>();
    let mut above = 0;
    let terms = sums.into_iter().zip(offsets).zip(scales).zip(out);
    for ((((sum, offset), scale), out), first) in terms.zip([0, 8, 16, 24]) {
        let sum = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sum));
        let share = _mm256_fmsub_ps(sum, factor, shift);
        // SAFETY: all three arrays are eight floats long; loads and the store are unaligned.
        let estimate = unsafe {
            let offset = _mm256_add_ps(base, _mm256_loadu_ps(offset.as_ptr()));
            let estimate = _mm256_fmadd_ps(_mm256_loadu_ps(scale.as_ptr()), share, offset);
            _mm256_storeu_ps(out.as_mut_ptr(), estimate);
            estimate
        };
        let exceed = _mm256_cmp_ps::<_CMP_GT_OQ>(estimate, bar);
        above |= (_mm256_movemask_ps(exceed) as u32) << first;
    }
    above
}

/// The sums of what 32 codes find, as 16-bit numbers: those of even and those of odd codes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn sums(rows: &[u8], table: &[u8]) -> (__m256i, __m256i) {
    let (row_pairs, _) = rows.as_chunks::<{ 2 * BLOCK }>();
    let (list_pairs, _) = table.as_chunks::<{ 2 * BLOCK }>();
    let low_bytes = _mm256_set1_epi16(0x00ff);
    let (mut even, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    for (rows, lists) in row_pairs.iter().zip(list_pairs) {
        let (first_row, second_row) = rows.split_at(BLOCK);
        let (first_lists, second_lists) = lists.split_at(BLOCK);
        let first = look_up(first_row, first_lists);
        let both = _mm256_add_epi8(first, look_up(second_row, second_lists));
        even = _mm256_add_epi16(even, _mm256_and_si256(both, low_bytes));
        odd = _mm256_add_epi16(odd, _mm256_srli_epi16::<8>(both));
    }
    (even, odd)
}

/// What each of 32 bytes finds in its two lists of 16, added up; `row` and `lists` are halves of
/// 64-byte arrays, 32 bytes long.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn look_up(row: &[u8], lists: &[u8]) -> __m256i {
    debug_assert!(row.len() == BLOCK && lists.len() == BLOCK);
    let half = _mm256_set1_epi8(0x0f);
    // SAFETY: `row` and `lists` are 32 bytes long, and unaligned loads are used.
    let (codes, low, high) = unsafe {
        (
            _mm256_loadu_si256(row.as_ptr().cast()),
            _mm_loadu_si128(lists.as_ptr().cast()),
            _mm_loadu_si128(lists.as_ptr().add(BLOCK / 2).cast()),
        )
    };
    let (low, high) = (
        _mm256_broadcastsi128_si256(low),
        _mm256_broadcastsi128_si256(high),
    );
    let low = _mm256_shuffle_epi8(low, _mm256_and_si256(codes, half));
    let halves = _mm256_and_si256(_mm256_srli_epi16::<4>(codes), half);
    _mm256_add_epi8(low, _mm256_shuffle_epi8(high, halves))
}

/// Has no register loads of its own: the compiler makes wide ones of the plain form.
#[target_feature(enable = "avx2,fma")]
fn hadamard_avx2(values: &mut [f32]) {
    portable::hadamard(values);
}

#[target_feature(enable = "avx2,fma")]
fn products_avx2(query: &[i8], rows: &[u8], out: &mut [i32]) {
    let (query_parts, _) = query.as_chunks::<16>();
    let up = _mm256_set1_epi16(i16::from(MOVED_UP));
    for (product, row) in out.iter_mut().zip(rows.chunks_exact(query.len().max(1))) {
        let (row_parts, _) = row.as_chunks::<16>();
        let mut lanes = [_mm256_setzero_si256(); 2];
        let (queries, _) = query_parts.as_chunks::<2>();
        let (rows, _) = row_parts.as_chunks::<2>();
        for (queries, rows) in queries.iter().zip(rows) {
            for (lane, (a, b)) in lanes.iter_mut().zip(queries.iter().zip(rows)) {
                let down = _mm256_sub_epi16(widened_unsigned(b), up);
                let madd = _mm256_madd_epi16(widened(a), down);
                *lane = _mm256_add_epi32(*lane, madd);
            }
        }
        let [first, second] = lanes;
        let lanes = _mm256_add_epi32(first, second);
        let halves = _mm_add_epi32(
            _mm256_castsi256_si128(lanes),
            _mm256_extracti128_si256::<1>(lanes),
        );
        let pairs = _mm_add_epi32(halves, _mm_shuffle_epi32::<0b00_00_11_10>(halves));
        let sum = _mm_add_epi32(pairs, _mm_shuffle_epi32::<0b00_00_00_01>(pairs));
        *product = _mm_cvtsi128_si32(sum);
    }
}

/// 16 bytes as 16-bit numbers.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn widened(bytes: &[i8; 16]) -> __m256i {
    // SAFETY: the array is 16 bytes long, and an unaligned load is used.
    let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    _mm256_cvtepi8_epi16(bytes)
}

/// 16 bytes without sign as 16-bit numbers.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn widened_unsigned(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: the array is 16 bytes long, and an unaligned load is used.
    let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    _mm256_cvtepu8_epi16(bytes)
}
