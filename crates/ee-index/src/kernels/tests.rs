//! Every form of the inner loops that this machine can run agrees with the portable one.

use proptest::prelude::*;

use super::*;

fn others() -> impl Iterator<Item = Kernels> {
    available().into_iter().skip(1)
}

proptest! {
    #[test]
    fn inner_products_agree(
        pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..200),
    ) {
        let (left, right): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
        let expected = (portable::kernels().dot)(&left, &right);
        for form in others() {
            let found = (form.dot)(&left, &right);
            prop_assert!((found - expected).abs() < 1e-4, "{}: {found}", form.name);
        }
    }

    #[test]
    fn estimates_agree(
        (rows, table) in (1_usize..20).prop_flat_map(|fours| {
            let bytes = fours * 4 * BLOCK;
            let rows = prop::collection::vec(any::<u8>(), bytes);
            (rows, prop::collection::vec(0_u8..=MOST_ENTRY, bytes))
        }),
        offsets in prop::array::uniform32(-1.0_f32..1.0),
        scales in prop::array::uniform32(0.0_f32..0.1),
        base in -1.0_f32..1.0,
        bar in -2.0_f32..4.0,
    ) {
        let estimator = Estimator { table: &table, factor: 0.01, shift: 0.5, base };
        let block = Block { rows: &rows, offsets: &offsets, scales: &scales };
        let mut expected = [0.0; BLOCK];
        (portable::kernels().estimates)(&estimator, &block, bar, &mut expected);
        for form in others() {
            let mut found = [0.0; BLOCK];
            let above = (form.estimates)(&estimator, &block, bar, &mut found);
            for ((found, expected), code) in found.iter().zip(&expected).zip(0..) {
                prop_assert!((found - expected).abs() < 1e-4, "{}: {found} for {expected}", form.name);
                prop_assert_eq!((above >> code) & 1 == 1, *found > bar, "{}", form.name);
            }
        }
    }

    #[test]
    fn byte_products_are_the_same(
        (query, rows) in (1_usize..8, 1_usize..10).prop_flat_map(|(units, rows)| {
            let length = units * BYTES_UNIT;
            let query = prop::collection::vec(-127_i8..=127, length);
            (query, prop::collection::vec(1_u8..=255, length * rows))
        }),
    ) {
        let count = rows.len() / query.len();
        let mut expected = vec![0; count];
        (portable::kernels().products)(&query, &rows, &mut expected);
        for form in others() {
            let mut found = vec![0; count];
            (form.products)(&query, &rows, &mut found);
            prop_assert_eq!(&found, &expected, "{}", form.name);
        }
    }
}

#[test]
fn the_largest_entries_do_not_overflow() {
    let rows = [0xff_u8; 128 * BLOCK];
    let table = [MOST_ENTRY; 128 * BLOCK];
    let estimator = Estimator {
        table: &table,
        factor: 1.0,
        shift: 0.0,
        base: 0.0,
    };
    let block = Block {
        rows: &rows,
        offsets: &[0.0; BLOCK],
        scales: &[1.0; BLOCK],
    };
    for form in available() {
        let mut found = [0.0; BLOCK];
        (form.estimates)(&estimator, &block, 0.0, &mut found);
        assert_eq!(
            found.map(|sum| sum as u32),
            [15_360; BLOCK],
            "{}",
            form.name
        );
    }
}

#[test]
fn the_largest_bytes_do_not_overflow() {
    let (low, high) = ([-127_i8; 1_024], [255_u8; 1_024]);
    for form in available() {
        let mut out = [0];
        (form.products)(&low, &high, &mut out);
        assert_eq!(out, [-127 * 127 * 1_024], "{}", form.name);
    }
}

#[test]
fn transforms_are_the_same() {
    for length in [8_u16, 64, 256] {
        let values: Vec<f32> = (0..length).map(|n| (f32::from(n) * 0.7).sin()).collect();
        let mut expected = values.clone();
        (portable::kernels().hadamard)(&mut expected);
        for form in others() {
            let mut found = values.clone();
            (form.hadamard)(&mut found);
            assert_eq!(found, expected, "{}", form.name);
        }
    }
}

#[test]
fn zero_has_one_sign() {
    assert!(dot(&[-0.0], &[1.0]).is_sign_positive());
}
