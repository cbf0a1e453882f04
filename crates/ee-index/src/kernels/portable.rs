//! The inner loops in plain Rust, and the reference for the others.

use super::{BLOCK, Block, Estimator, Kernels, MOVED_UP};

const LANES: usize = 16;

pub(super) fn kernels() -> Kernels {
    Kernels {
        name: "portable",
        dot,
        estimates,
        products,
        hadamard,
    }
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left_blocks, left_rest) = left.as_chunks::<LANES>();
    let (right_blocks, right_rest) = right.as_chunks::<LANES>();
    let mut lanes = [0.0_f32; LANES];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for (lane, (a, b)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            *lane += a * b;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}

fn estimates(
    estimator: &Estimator<'_>,
    block: &Block<'_>,
    bar: f32,
    out: &mut [f32; BLOCK],
) -> u32 {
    let mut found = [0; BLOCK];
    sums(block.rows, estimator.table, &mut found);
    let terms = block.offsets.iter().zip(block.scales);
    let mut above = 0;
    for (((estimate, sum), (offset, scale)), code) in out.iter_mut().zip(found).zip(terms).zip(0..)
    {
        let share = f32::from(sum) * estimator.factor - estimator.shift;
        *estimate = estimator.base + offset + scale * share;
        above |= u32::from(*estimate > bar) << code;
    }
    above
}

fn sums(block: &[u8], table: &[u8], out: &mut [u16; BLOCK]) {
    *out = [0; BLOCK];
    let (rows, _) = block.as_chunks::<BLOCK>();
    let (lists, _) = table.as_chunks::<BLOCK>();
    for (row, list) in rows.iter().zip(lists) {
        let (low, high) = list.split_at(BLOCK / 2);
        for (sum, byte) in out.iter_mut().zip(row) {
            let found =
                |list: &[u8], half: u8| list.get(usize::from(half)).map_or(0, |f| u16::from(*f));
            *sum += found(low, byte & 0x0f) + found(high, byte >> 4);
        }
    }
}

fn products(query: &[i8], rows: &[u8], out: &mut [i32]) {
    for (product, row) in out.iter_mut().zip(rows.chunks_exact(query.len().max(1))) {
        let pairs = query.iter().zip(row);
        *product = pairs
            .map(|(a, b)| i32::from(*a) * (i32::from(*b) - i32::from(MOVED_UP)))
            .sum();
    }
}

/// Coordinates that one step of the transform takes at once.
const EIGHT: usize = 8;

/// The unnormalised Walsh–Hadamard transform in place, of a multiple of eight values.
#[inline]
pub(super) fn hadamard(values: &mut [f32]) {
    let (eights, _) = values.as_chunks_mut::<EIGHT>();
    for eight in eights {
        hadamard_of_eight(eight);
    }
    let mut half = EIGHT;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[inline]
fn hadamard_of_eight(values: &mut [f32; EIGHT]) {
    let [v0, v1, v2, v3, v4, v5, v6, v7] = *values;
    let (sums, differences) = (
        hadamard_of_four([v0 + v4, v1 + v5, v2 + v6, v3 + v7]),
        hadamard_of_four([v0 - v4, v1 - v5, v2 - v6, v3 - v7]),
    );
    let (front, back) = values.split_at_mut(4);
    front.copy_from_slice(&sums);
    back.copy_from_slice(&differences);
}

#[inline]
fn hadamard_of_four([v0, v1, v2, v3]: [f32; 4]) -> [f32; 4] {
    let (s0, s1, d0, d1) = (v0 + v2, v1 + v3, v0 - v2, v1 - v3);
    [s0 + s1, s0 - s1, d0 + d1, d0 - d1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_agrees_with_the_definition_at_every_length() {
        for length in 0..70_u16 {
            let left: Vec<f32> = (0..length).map(|i| f32::from(i) - 20.0).collect();
            let right: Vec<f32> = (0..length).map(|i| 3.0 - f32::from(i)).collect();
            let expected: f32 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
            assert!((dot(&left, &right) - expected).abs() < 1e-2, "{length}");
        }
    }

    #[test]
    fn sums_read_low_halves_from_the_first_list() {
        let mut block = [0_u8; 2 * BLOCK];
        let mut table = [0_u8; 2 * BLOCK];
        block[5] = 0x73;
        (table[3], table[16 + 7]) = (10, 20);
        let mut out = [0; BLOCK];
        sums(&block, &table, &mut out);
        assert_eq!((out[5], out[6]), (30, 0));
    }

    #[test]
    fn products_are_those_of_whole_numbers() {
        let mut out = [0; 2];
        products(&[1, -2], &[131, 132, 1, 255], &mut out);
        assert_eq!(out, [-5, -381]);
    }
}
