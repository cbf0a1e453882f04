//! The vector indexes on vectors in clusters: time per query and per insertion, with recall.
//!
//! 40,000 vectors of 384 components around 2,000 random directions; queries are drawn around the
//! same directions and not put in. Recall is printed before the times.

use criterion::{BatchSize, Criterion};
use ee_index::conformance::{clustered, measure_recall};
use ee_index::{ExactIndex, HyperplaneLsh, IndexConfig, IndexError, LshIndex, VectorIndex};

const VECTORS: usize = 40_000;
const QUERIES: usize = 200;
const CENTRES: usize = 2_000;
const DIMENSION: usize = 384;
const K: usize = 10;

type Entries<'a> = [(u64, &'a [f32])];

type Named = (&'static str, Box<dyn VectorIndex>);

fn indexes(config: &IndexConfig) -> Result<[Named; 3], IndexError> {
    Ok([
        ("exact", Box::new(ExactIndex::new(DIMENSION))),
        ("codes", Box::new(LshIndex::new(DIMENSION, config)?)),
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

fn measure(
    criterion: &mut Criterion,
    entries: &Entries<'_>,
    queries: &[&[f32]],
) -> Result<(), IndexError> {
    for (name, index) in indexes(&IndexConfig::default())? {
        index.upsert(entries)?;
        let recall = measure_recall(index.as_ref(), entries, queries, K);
        println!("index/{name}: recall@{K} {recall:.4} on {VECTORS} vectors");
        search(criterion, name, index.as_ref(), queries);
        insert(criterion, name, index.as_ref(), queries);
    }
    Ok(())
}

fn main() -> Result<(), IndexError> {
    if !benches::is_measuring() {
        return Ok(());
    }
    let vectors = clustered(VECTORS + QUERIES, DIMENSION, CENTRES, benches::SEED);
    let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
    let (held, queries) = slices.split_at(VECTORS);
    let entries: Vec<(u64, &[f32])> = (0..).zip(held.iter().copied()).collect();
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion, &entries, queries)?;
    criterion.final_summary();
    Ok(())
}
