//! Recall against comparing with every vector.

use ee_index::conformance::{clustered, measure_recall};
use ee_index::{HyperplaneLsh, IndexConfig, LshIndex, VectorIndex};

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

/// Vectors under keys from 0, and queries that are none of them.
fn collection() -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let mut vectors = clustered(8_200, 128, 400, 21);
    let queries = vectors.split_off(8_000);
    (vectors, queries)
}

fn entries(vectors: &[Vec<f32>]) -> Vec<(u64, &[f32])> {
    (0..).zip(vectors.iter().map(Vec::as_slice)).collect()
}

fn slices(vectors: &[Vec<f32>]) -> Vec<&[f32]> {
    vectors.iter().map(Vec::as_slice).collect()
}

#[test]
fn codes_find_the_share_that_is_asked_for() {
    let (vectors, queries) = collection();
    let recall = |recall| {
        let config = IndexConfig {
            recall,
            ..IndexConfig::default()
        };
        let index = LshIndex::new(128, &config).unwrap();
        index.upsert(&entries(&vectors)).unwrap();
        measure_recall(&index, &entries(&vectors), &slices(&queries), 10)
    };
    for wanted in [0.90, 0.95, 0.98] {
        let found = recall(wanted);
        let allowed = 0.5 * (1.0 - wanted);
        assert!(found >= wanted - allowed, "{found:.3} of {wanted}");
    }
}

/// Every vector has nine near copies and a query has none, so that stored vectors are found more
/// easily than what is asked for.
#[test]
fn codes_find_that_share_for_queries_unlike_what_is_stored() {
    let (origins, queries) = collection();
    let noise = clustered(8_000, 128, 8_000, 22);
    let spread = (0.9_f32.powi(-2) - 1.0).sqrt();
    let around = |(number, noise): (usize, &Vec<f32>)| -> Vec<f32> {
        let origin = &origins[number % 800];
        let sum: Vec<f32> = origin
            .iter()
            .zip(noise)
            .map(|(o, n)| o + spread * n)
            .collect();
        let norm = sum.iter().map(|c| c * c).sum::<f32>().sqrt();
        sum.iter().map(|c| c / norm).collect()
    };
    let vectors: Vec<Vec<f32>> = noise.iter().enumerate().map(around).collect();
    for recall in [0.90, 0.95] {
        let config = IndexConfig {
            recall,
            ..IndexConfig::default()
        };
        let index = LshIndex::new(128, &config).unwrap();
        index.upsert(&entries(&vectors)).unwrap();
        let found = measure_recall(&index, &entries(&vectors), &slices(&queries), 10);
        assert!(found >= recall - 0.005, "{found:.3} of {recall}");
    }
}

#[test]
fn codes_keep_their_recall_when_half_is_exchanged() {
    let (vectors, queries) = collection();
    let config = IndexConfig::default();
    let (first, second) = vectors.split_at(4_000);
    let churned = LshIndex::new(128, &config).unwrap();
    churned.upsert(&entries(first)).unwrap();
    churned.remove(&(0..2_000).collect::<Vec<_>>());
    let kept = &entries(first)[2_000..];
    let added: Vec<(u64, &[f32])> = (10_000..).zip(slices(&second[..2_000])).collect();
    churned.upsert(&added).unwrap();
    let now: Vec<(u64, &[f32])> = kept.iter().chain(&added).copied().collect();
    let fresh = LshIndex::new(128, &config).unwrap();
    fresh.upsert(&now).unwrap();
    let queries = slices(&queries);
    let [churned, fresh] =
        [&churned, &fresh].map(|index| measure_recall(index, &now, &queries, 10));
    assert!(
        churned >= fresh - 0.01,
        "{churned:.3} after churn, {fresh:.3} fresh"
    );
}

#[test]
fn codes_keep_their_recall_under_filters() {
    let (vectors, queries) = collection();
    // Those that admit 3,000 vectors or more look at codes, the last one compares.
    for percent in [90, 70, 50, 40, 1] {
        let admits = |key: u64| key * 7_919 % 100 < percent;
        let recall = recall_under(&admits, &vectors, &queries);
        assert!(recall >= 0.98, "{percent} %: {recall:.3}");
    }
}

/// What is admitted lies on one side, near to some queries and far from others.
#[test]
fn codes_keep_their_recall_under_a_filter_that_goes_by_direction() {
    let (vectors, queries) = collection();
    let along = |vector: &[f32]| vector[0] + vector[1] + vector[2];
    let mut sorted: Vec<f32> = vectors.iter().map(|vector| along(vector)).collect();
    sorted.sort_by(f32::total_cmp);
    for percent in [70, 50, 40] {
        let bar = sorted[sorted.len() - sorted.len() * percent / 100];
        let admits = |key: u64| along(&vectors[key as usize]) >= bar;
        let recall = recall_under(&admits, &vectors, &queries);
        assert!(recall >= 0.98, "{percent} %: {recall:.3}");
    }
}

/// As for a reader who may not see what a question is about.
#[test]
fn codes_keep_their_recall_under_a_filter_that_shuts_out_the_nearest() {
    let (vectors, queries) = collection();
    let index = LshIndex::new(128, &IndexConfig::default()).unwrap();
    let exact = ee_index::ExactIndex::new(128);
    index.upsert(&entries(&vectors)).unwrap();
    exact.upsert(&entries(&vectors)).unwrap();
    for count in [30, 300, 900] {
        let mut found = 0;
        for query in &queries {
            let nearest = exact.search(query, count, None).unwrap();
            let admits = |key: u64| nearest.iter().all(|near| near.key != key);
            let truth = exact.search(query, 10, Some(&admits)).unwrap();
            let near = index.search(query, 10, Some(&admits)).unwrap();
            let bar = truth.last().unwrap().cosine - 1e-6;
            found += near.iter().filter(|near| near.cosine >= bar).count();
        }
        let recall = f64::from(found as u32) / (10 * queries.len()) as f64;
        assert!(recall >= 0.975, "{count} nearest: {recall:.3}");
    }
}

fn recall_under(
    admits: &(dyn Fn(u64) -> bool + Sync),
    vectors: &[Vec<f32>],
    queries: &[Vec<f32>],
) -> f64 {
    let index = LshIndex::new(128, &IndexConfig::default()).unwrap();
    let exact = ee_index::ExactIndex::new(128);
    index.upsert(&entries(vectors)).unwrap();
    exact.upsert(&entries(vectors)).unwrap();
    let (mut found, mut there) = (0, 0);
    for query in queries {
        let truth = exact.search(query, 10, Some(admits)).unwrap();
        let near = index.search(query, 10, Some(admits)).unwrap();
        there += truth.len();
        let known = truth.iter().filter(|t| near.iter().any(|n| n.key == t.key));
        found += known.count();
    }
    f64::from(found as u32) / f64::from(there as u32)
}
