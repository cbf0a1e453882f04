//! The inner loops of the vector indexes, and the indexes on vectors in clusters: time per query, per
//! insertion, under filters, and of writing and opening the file, with recall.
//!
//! 40,000 vectors of 384 components around 2,000 random directions; queries are drawn around the
//! same directions and not put in. Recall is printed before the times.

mod kernels;

use anyhow::Result;
use criterion::{BatchSize, Criterion};
use ee_index::conformance::{clustered, measure_recall};
use ee_index::{
    AdaptiveIndex, ExactIndex, HyperplaneLsh, IndexConfig, IndexError, LshIndex, VectorIndex,
};

const VECTORS: usize = 40_000;
const QUERIES: usize = 200;
const CENTRES: usize = 2_000;
const DIMENSION: usize = 384;
const K: usize = 10;

type Entries<'a> = [(u64, &'a [f32])];

type Named = (&'static str, Box<dyn VectorIndex>);

fn indexes(config: &IndexConfig) -> Result<[Named; 5], IndexError> {
    let codes = |recall| {
        let config = IndexConfig {
            recall,
            ..config.clone()
        };
        LshIndex::new(DIMENSION, &config)
    };
    Ok([
        ("exact", Box::new(ExactIndex::new(DIMENSION))),
        ("codes for 0.90", Box::new(codes(0.90)?)),
        ("codes for 0.95", Box::new(codes(0.95)?)),
        ("codes for 0.98", Box::new(codes(0.98)?)),
        (
            "hyperplanes",
            Box::new(HyperplaneLsh::new(DIMENSION, config)?),
        ),
    ])
}

fn search(criterion: &mut Criterion, name: &str, index: &dyn VectorIndex, queries: &[&[f32]]) {
    let mut turn = queries.iter().cycle();
    criterion.bench_function(&format!("index/search/{name}"), |bencher| {
        bencher.iter_batched(
            || turn.next().copied().unwrap_or_default(),
            |query| index.search(query, K, None),
            BatchSize::SmallInput,
        );
    });
}

fn insert(criterion: &mut Criterion, name: &str, index: &dyn VectorIndex, queries: &[&[f32]]) {
    let mut turn = (VECTORS as u64..).zip(queries.iter().cycle());
    criterion.bench_function(&format!("index/insert/{name}"), |bencher| {
        bencher.iter_batched(
            || {
                turn.next()
                    .map(|(key, vector)| (key, *vector))
                    .unwrap_or_default()
            },
            |entry| index.upsert(&[entry]),
            BatchSize::SmallInput,
        );
    });
}

/// Searches that one key in so many passes.
fn filtered(criterion: &mut Criterion, name: &str, index: &dyn VectorIndex, queries: &[&[f32]]) {
    for one_in in [2, 10, 100, 1_000] {
        let admits = |key: u64| key.wrapping_mul(7_919).is_multiple_of(one_in);
        let mut turn = queries.iter().cycle();
        criterion.bench_function(&format!("index/one in {one_in}/{name}"), |bencher| {
            bencher.iter_batched(
                || turn.next().copied().unwrap_or_default(),
                |query| index.search(query, K, Some(&admits)),
                BatchSize::SmallInput,
            );
        });
    }
}

/// Writing the file, and opening it.
fn file(criterion: &mut Criterion, entries: &Entries<'_>) -> Result<()> {
    let config = IndexConfig::default();
    let index = AdaptiveIndex::new(DIMENSION, &config)?;
    index.upsert(entries)?;
    let folder = benches::prepared_folder("bench-data/index");
    std::fs::create_dir_all(&folder)?;
    let (path, fingerprint) = (folder.join("bench.eeindex"), [0; 32]);
    criterion.bench_function("index/save", |bencher| {
        bencher.iter(|| index.save(&path, 0, &fingerprint));
    });
    criterion.bench_function("index/load", |bencher| {
        bencher.iter(|| AdaptiveIndex::load(&path, DIMENSION, &fingerprint, &config));
    });
    Ok(())
}

fn measure(criterion: &mut Criterion, entries: &Entries<'_>, queries: &[&[f32]]) -> Result<()> {
    for (name, index) in indexes(&IndexConfig::default())? {
        index.upsert(entries)?;
        let recall = measure_recall(index.as_ref(), entries, queries, K);
        println!("index/{name}: recall@{K} {recall:.4} on {VECTORS} vectors");
        search(criterion, name, index.as_ref(), queries);
        if ["exact", "codes for 0.98"].contains(&name) {
            filtered(criterion, name, index.as_ref(), queries);
        }
        insert(criterion, name, index.as_ref(), queries);
    }
    Ok(())
}

fn main() -> Result<()> {
    if !benches::is_measuring() {
        return Ok(());
    }
    let vectors = clustered(VECTORS + QUERIES, DIMENSION, CENTRES, benches::SEED);
    let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
    let (held, queries) = slices.split_at(VECTORS);
    let entries: Vec<(u64, &[f32])> = (0..).zip(held.iter().copied()).collect();
    let mut criterion = Criterion::default().configure_from_args();
    kernels::measure(&mut criterion);
    measure(&mut criterion, &entries, queries)?;
    file(&mut criterion, &entries)?;
    criterion.final_summary();
    Ok(())
}
