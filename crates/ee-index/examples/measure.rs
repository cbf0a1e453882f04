//! Measures recall@10, queries per second and build time on vectors of your own:
//! `cargo run --release -p ee-index --example measure -- FILE DIMENSION QUERIES [RECALL …]`.
//!
//! FILE holds little-endian f32 components, vector after vector, each of unit length. The last
//! QUERIES of them are asked for and not put in.

use std::time::Instant;

use ee_index::{ExactIndex, IndexConfig, LshIndex, VectorIndex, conformance::measure_recall};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, dimension, queries, recalls @ ..] = arguments.as_slice() else {
        return Err("expected FILE DIMENSION QUERIES [RECALL …]".into());
    };
    let (dimension, asked): (usize, usize) = (dimension.parse()?, queries.parse()?);
    let bytes = std::fs::read(file)?;
    let (numbers, _) = bytes.as_chunks();
    let numbers: Vec<f32> = numbers.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let vectors: Vec<&[f32]> = numbers.chunks_exact(dimension).collect();
    let (held, queries) = vectors.split_at(vectors.len().saturating_sub(asked));
    let entries: Vec<(u64, &[f32])> = (0..).zip(held.iter().copied()).collect();
    println!("{} vectors, {}", entries.len(), ee_index::instructions());
    report("exact", &ExactIndex::new(dimension), &entries, queries)?;
    for recall in recalls {
        let recall = recall.parse()?;
        let config = IndexConfig {
            recall,
            ..IndexConfig::default()
        };
        let index = LshIndex::new(dimension, &config)?;
        report(&format!("codes for {recall}"), &index, &entries, queries)?;
        let beside = index.bytes_beside_vectors() as f64 / (entries.len() * dimension * 4) as f64;
        println!("  {beside:.3} bytes beside every byte of the vectors");
    }
    Ok(())
}

fn report(
    name: &str,
    index: &dyn VectorIndex,
    entries: &[(u64, &[f32])],
    queries: &[&[f32]],
) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    for batch in entries.chunks(4_096) {
        index.upsert(batch)?;
    }
    let build = start.elapsed().as_secs_f64();
    let start = Instant::now();
    for query in queries {
        std::hint::black_box(index.search(query, 10, None)?);
    }
    let rate = queries.len() as f64 / start.elapsed().as_secs_f64();
    let start = Instant::now();
    for query in queries {
        std::hint::black_box(index.search(query, 10, None)?);
    }
    let again = queries.len() as f64 / start.elapsed().as_secs_f64();
    let rate = rate.max(again);
    let recall = measure_recall(index, entries, queries, 10);
    println!("{name}: build {build:.2} s, recall@10 {recall:.4}, {rate:.0} queries/s");
    Ok(())
}
