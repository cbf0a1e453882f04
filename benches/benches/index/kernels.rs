//! Every form of every inner loop that this machine can run.

use std::hint::black_box;

use benches::SEED;
use criterion::{Criterion, Throughput};
use ee_index::conformance::{Form, clustered, forms};
use fastrand::Rng;

use super::DIMENSION;

/// Sign codes a block.
const BLOCK: usize = 32;
/// Centres that a query is compared with at once.
const ROWS: usize = 1_000;

/// 384 dimensions each: an inner product, 32 estimates, a query against 1,000 centres.
pub(crate) fn measure(criterion: &mut Criterion) {
    for form in forms() {
        inner_product(criterion, &form);
        estimates(criterion, &form);
        byte_products(criterion, &form);
    }
}

fn inner_product(criterion: &mut Criterion, form: &Form) {
    let vectors = clustered(2, DIMENSION, 2, SEED);
    let [left, right] = vectors.as_slice() else {
        return;
    };
    criterion.bench_function(
        &format!("kernel/inner product/{}", form.name()),
        |bencher| {
            bencher.iter(|| form.inner_product(black_box(left), black_box(right)));
        },
    );
}

fn estimates(criterion: &mut Criterion, form: &Form) {
    let mut random = Rng::with_seed(SEED);
    let length = DIMENSION / 8 * BLOCK;
    let rows: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
    let table: Vec<u8> = (0..length).map(|_| random.u8(..=60)).collect();
    let mut group = criterion.benchmark_group("kernel/estimates");
    group.throughput(Throughput::Elements(BLOCK as u64));
    group.bench_function(form.name(), |bencher| {
        bencher.iter(|| form.estimates(black_box(&rows), black_box(&table), 1e9));
    });
    group.finish();
}

fn byte_products(criterion: &mut Criterion, form: &Form) {
    let mut random = Rng::with_seed(SEED);
    let query: Vec<i8> = (0..DIMENSION).map(|_| random.i8(-127..=127)).collect();
    let rows: Vec<u8> = (0..DIMENSION * ROWS).map(|_| random.u8(1..)).collect();
    let mut out = vec![0; ROWS];
    let mut group = criterion.benchmark_group("kernel/byte products");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function(form.name(), |bencher| {
        bencher.iter(|| form.byte_products(black_box(&query), black_box(&rows), &mut out));
    });
    group.finish();
}
