//! The inner loops for 64-bit ARM, all of whose processors have NEON.

#![allow(
    unsafe_code,
    reason = "vector loads, stores and calls under detected features"
)]

use std::arch::aarch64::{
    int8x16_t, uint8x16_t, uint16x8_t, vaddq_f32, vaddq_s32, vaddq_u8, vaddvq_f32, vaddvq_s32,
    vaddw_high_u8, vaddw_u8, vandq_u8, vdupq_n_f32, vdupq_n_s32, vdupq_n_u8, vdupq_n_u16, veorq_u8,
    vfmaq_f32, vget_low_s8, vget_low_u8, vld1q_f32, vld1q_s8, vld1q_u8, vmull_high_s8, vmull_s8,
    vpadalq_s16, vqtbl1q_u8, vreinterpretq_s8_u8, vshrq_n_u8, vst1q_u16,
};

use super::{BLOCK, Block, Estimator, Kernels, MOVED_UP, portable};

/// These loops, if the processor has what they need.
pub(super) fn kernels() -> Option<Kernels> {
    std::arch::is_aarch64_feature_detected!("neon").then_some(Kernels {
        name: "NEON",
        dot,
        estimates,
        products,
        hadamard: portable::hadamard,
    })
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    // SAFETY: only `kernels` hands this function out, after finding NEON.
    unsafe { dot_neon(left, right) }
}

fn estimates(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
) -> u32 {
    // SAFETY: only `kernels` hands this function out, after finding NEON.
    let sums = unsafe { sums_neon(block.rows, estimator.table) };
    let terms = block.offsets.iter().zip(block.scales);
    let mut above = 0;
    for (((estimate, sum), (offset, scale)), code) in out.iter_mut().zip(sums).zip(terms).zip(0..) {
        let share = f32::from(sum) * estimator.factor - estimator.shift;
        *estimate = estimator.base + offset + scale * share;
        above |= u32::from(*estimate > bar) << code;
    }
    above
}

fn products(query: &[i8], rows: &[u8], out: &mut [i32]) {
    // SAFETY: only `kernels` hands this function out, after finding NEON.
    unsafe { products_neon(query, rows, out) }
}

#[target_feature(enable = "neon")]
fn dot_neon(left: &[f32], right: &[f32]) -> f32 {
    let (left_blocks, left_rest) = left.as_chunks::<16>();
    let (right_blocks, right_rest) = right.as_chunks::<16>();
    let mut lanes = [vdupq_n_f32(0.0); 4];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        let (left, _) = left.as_chunks::<4>();
        let (right, _) = right.as_chunks::<4>();
        for (lane, (a, b)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            // SAFETY: both arrays are four floats long.
            let (a, b) = unsafe { (vld1q_f32(a.as_ptr()), vld1q_f32(b.as_ptr())) };
            *lane = vfmaq_f32(*lane, a, b);
        }
    }
    let [first, second, third, fourth] = lanes;
    let lanes = vaddq_f32(vaddq_f32(first, second), vaddq_f32(third, fourth));
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    vaddvq_f32(lanes) + rest
}

/// The sums of what 32 codes find.
#[target_feature(enable = "neon")]
fn sums_neon(rows: &[u8], table: &[u8]) -> [u16; BLOCK] {
    let (rows, _) = rows.as_chunks::<16>();
    let (lists, _) = table.as_chunks::<16>();
    let (row_halves, _) = rows.as_chunks::<2>();
    let (list_pairs, _) = lists.as_chunks::<2>();
    let mut lanes = [[vdupq_n_u16(0); 2]; 2];
    for (halves, [low, high]) in row_halves.iter().zip(list_pairs) {
        let (low, high) = (loaded(low), loaded(high));
        for (lanes, half) in lanes.iter_mut().zip(halves) {
            let codes = loaded(half);
            let found = vaddq_u8(
                vqtbl1q_u8(low, vandq_u8(codes, vdupq_n_u8(0x0f))),
                vqtbl1q_u8(high, vshrq_n_u8::<4>(codes)),
            );
            let [first, second] = *lanes;
            *lanes = [
                vaddw_u8(first, vget_low_u8(found)),
                vaddw_high_u8(second, found),
            ];
        }
    }
    let mut sums = [0; BLOCK];
    let (places, _) = sums.as_chunks_mut::<8>();
    for (place, lane) in places.iter_mut().zip(lanes.as_flattened()) {
        stored(*lane, place);
    }
    sums
}

#[target_feature(enable = "neon")]
#[inline]
fn loaded(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: the array is 16 bytes long.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

#[target_feature(enable = "neon")]
#[inline]
fn stored(lane: uint16x8_t, place: &mut [u16; 8]) {
    // SAFETY: the array is eight 16-bit numbers long.
    unsafe { vst1q_u16(place.as_mut_ptr(), lane) };
}

#[target_feature(enable = "neon")]
fn products_neon(query: &[i8], rows: &[u8], out: &mut [i32]) {
    let (query_parts, _) = query.as_chunks::<16>();
    for (product, row) in out.iter_mut().zip(rows.chunks_exact(query.len().max(1))) {
        let (row_parts, _) = row.as_chunks::<16>();
        let mut lanes = [vdupq_n_s32(0); 2];
        for (query, row) in query_parts.iter().zip(row_parts) {
            let (query, row) = (signed(query), moved_down(row));
            let [first, second] = lanes;
            lanes = [
                vpadalq_s16(first, vmull_s8(vget_low_s8(query), vget_low_s8(row))),
                vpadalq_s16(second, vmull_high_s8(query, row)),
            ];
        }
        let [first, second] = lanes;
        *product = vaddvq_s32(vaddq_s32(first, second));
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn signed(bytes: &[i8; 16]) -> int8x16_t {
    // SAFETY: the array is 16 bytes long.
    unsafe { vld1q_s8(bytes.as_ptr()) }
}

/// Turning over the highest bit takes off what the bytes were moved up by.
#[target_feature(enable = "neon")]
#[inline]
fn moved_down(bytes: &[u8; 16]) -> int8x16_t {
    // SAFETY: the array is 16 bytes long.
    let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
    vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(MOVED_UP)))
}
