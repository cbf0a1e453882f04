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
    __m256i, _mm_loadu_si128, _mm256_add_epi8, _mm256_add_epi16, _mm256_add_ps, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cvtepi32_ps, _mm256_cvtepu16_epi32,
    _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_loadu_ps,
    _mm256_loadu_si256, _mm256_permute2x128_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi16, _mm256_storeu_ps, _mm256_unpackhi_epi16, _mm256_unpacklo_epi16,
};

use super::{BLOCK, Block, Estimator, Kernels};

/// These loops, if the processor has what they need.
pub(super) fn kernels() -> Option<Kernels> {
    let present = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    present.then_some(Kernels { dot, estimates })
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    // SAFETY: only `kernels` hands this function out, after finding AVX2 and FMA.
    unsafe { dot_avx2(left, right) }
}

fn estimates(estimator: &Estimator<'_>, block: &Block<'_>, out: &mut [f32; BLOCK]) {
    // SAFETY: only `kernels` hands this function out, after finding AVX2 and FMA.
    unsafe { estimates_avx2(estimator, block, out) }
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
fn estimates_avx2(estimator: &Estimator<'_>, block: &Block<'_>, out: &mut [f32; BLOCK]) {
    let (front, back) = sums(block.rows, estimator.table);
    let sums = [
        _mm256_castsi256_si128(front),
        _mm256_extracti128_si256::<1>(front),
        _mm256_castsi256_si128(back),
        _mm256_extracti128_si256::<1>(back),
    ];
    let factor = _mm256_set1_ps(estimator.factor);
    let shift = _mm256_set1_ps(estimator.shift);
    let base = _mm256_set1_ps(estimator.base);
    let (offsets, _) = block.offsets.as_chunks::<8>();
    let (scales, _) = block.scales.as_chunks::<8>();
    let (out, _) = out.as_chunks_mut::<8>();
    for (((sum, offset), scale), out) in sums.into_iter().zip(offsets).zip(scales).zip(out) {
        let sum = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sum));
        let share = _mm256_fmsub_ps(sum, factor, shift);
        // SAFETY: all three arrays are eight floats long; loads and the store are unaligned.
        unsafe {
            let offset = _mm256_add_ps(base, _mm256_loadu_ps(offset.as_ptr()));
            let estimate = _mm256_fmadd_ps(_mm256_loadu_ps(scale.as_ptr()), share, offset);
            _mm256_storeu_ps(out.as_mut_ptr(), estimate);
        }
    }
}

/// The sums of what 32 codes find, as 16-bit numbers: the first 16 and the last 16.
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
    let low = _mm256_unpacklo_epi16(even, odd);
    let high = _mm256_unpackhi_epi16(even, odd);
    (
        _mm256_permute2x128_si256::<0x20>(low, high),
        _mm256_permute2x128_si256::<0x31>(low, high),
    )
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
