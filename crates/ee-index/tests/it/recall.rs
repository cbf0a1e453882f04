//! Recall against comparing with every vector.

use ee_index::conformance::{clustered, measure_recall};
use ee_index::{HyperplaneLsh, IndexConfig, VectorIndex};

#[test]
fn hyperplanes_find_nine_in_ten_of_clustered_vectors() {
    let (count, queries) = (4_000, 100);
    let vectors = clustered(count + queries, 384, 200, 11);
    let (held, queries) = vectors.split_at(count);
    let entries: Vec<(u64, &[f32])> = (0..).zip(held.iter().map(Vec::as_slice)).collect();
    let queries: Vec<&[f32]> = queries.iter().map(Vec::as_slice).collect();
    let index = HyperplaneLsh::new(384, &IndexConfig::default()).unwrap();
    index.upsert(&entries).unwrap();
    let recall = measure_recall(&index, &entries, &queries, 10);
    assert!(recall >= 0.90, "recall@10 is {recall:.3}");
}

#[test]
fn fewer_probes_find_less() {
    let vectors = clustered(2_000, 64, 100, 12);
    let entries: Vec<(u64, &[f32])> = (0..).zip(vectors.iter().map(Vec::as_slice)).collect();
    let queries = clustered(50, 64, 50, 13);
    let queries: Vec<&[f32]> = queries.iter().map(Vec::as_slice).collect();
    let recall = |hash_probes| {
        let config = IndexConfig {
            hash_probes,
            ..IndexConfig::default()
        };
        let index = HyperplaneLsh::new(64, &config).unwrap();
        index.upsert(&entries).unwrap();
        measure_recall(&index, &entries, &queries, 10)
    };
    let (few, many, all) = (recall(10), recall(100), recall(2_560));
    assert!(few < many && many <= all, "{few} {many} {all}");
    assert!((all - 1.0).abs() < 1e-9, "all buckets give {all}");
}
