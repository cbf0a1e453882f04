//! What every index must do, as a suite for tests, the measure of recall, and the inner loops for
//! benchmarks.
//!
//! ```
//! use ee_index::{ExactIndex, conformance};
//!
//! conformance::check(|dimension| Box::new(ExactIndex::new(dimension)));
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "a suite for tests reports by panicking"
)]

use std::collections::BTreeSet;

pub use crate::kernels::forms::{Form, forms};
use crate::{IndexError, Neighbour, VectorIndex};

/// Makes an empty index of vectors of the given dimension.
type Make<'a> = &'a dyn Fn(usize) -> Box<dyn VectorIndex>;

/// Runs the whole suite on indexes that `make` gives, empty and of the dimension it is told.
///
/// # Panics
/// At the first rule that does not hold.
pub fn check(make: impl Fn(usize) -> Box<dyn VectorIndex>) {
    let make: Make<'_> = &make;
    an_empty_index_finds_nothing(make);
    finds_what_was_put_in(make);
    a_present_key_is_replaced(make);
    removed_keys_are_gone(make);
    removing_and_adding_leaves_no_ghost(make);
    a_large_k_returns_everything(make);
    ties_go_to_the_smaller_key(make);
    the_zero_vector_has_cosine_zero(make);
    a_filter_gets_its_k(make);
    bad_vectors_change_nothing(make);
    cosines_come_in_the_order_asked(make);
    many_read_while_one_writes(make);
}

/// The part of the true `k` nearest that `index` finds, as a mean over the queries, 0 to 1.
///
/// `vectors` are all vectors of the index; the truth is computed from them by comparing with
/// every one. A neighbour that ties with the true k-th counts as found.
///
/// # Panics
/// If the index refuses a query.
pub fn measure_recall(
    index: &dyn VectorIndex,
    vectors: &[(u64, &[f32])],
    queries: &[&[f32]],
    k: usize,
) -> f64 {
    let exact = crate::ExactIndex::new(index.dimension());
    exact.upsert(vectors).unwrap();
    let recall = |query: &&[f32]| {
        let truth = exact.search(query, k, None).unwrap();
        let found = index.search(query, k, None).unwrap();
        share_found(&truth, &found)
    };
    queries.iter().map(recall).sum::<f64>() / queries.len().max(1) as f64
}

fn share_found(truth: &[Neighbour], found: &[Neighbour]) -> f64 {
    let Some(last) = truth.last() else {
        return 1.0;
    };
    let good = found
        .iter()
        .filter(|near| near.cosine >= last.cosine - 1e-6);
    good.count() as f64 / truth.len() as f64
}

/// Unit vectors around `centres` random directions, the same for the same seed: a stand-in for
/// embeddings, whose neighbours are far nearer than chance.
pub fn clustered(count: usize, dimension: usize, centres: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut numbers = crate::gaussian::Gaussian::from_seed(seed);
    let mut draw = |scale: f32| -> Vec<f32> {
        let components = numbers.by_ref().take(dimension);
        components.map(|component| component * scale).collect()
    };
    let centres: Vec<Vec<f32>> = (0..centres.max(1)).map(|_| draw(1.0)).collect();
    let around = |centre: &Vec<f32>| {
        let noise = draw(0.7);
        let sum: Vec<f32> = centre.iter().zip(noise).map(|(c, n)| c + n).collect();
        unit(sum)
    };
    centres.iter().cycle().take(count).map(around).collect()
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let norm = vector.iter().map(|c| c * c).sum::<f32>().sqrt();
    for component in &mut vector {
        *component /= norm;
    }
    vector
}

fn keys(found: &[Neighbour]) -> Vec<u64> {
    found.iter().map(|near| near.key).collect()
}

fn filled(make: Make<'_>, vectors: &[Vec<f32>]) -> Box<dyn VectorIndex> {
    let index = make(vectors.first().map_or(1, Vec::len));
    let entries: Vec<(u64, &[f32])> = (0..).zip(vectors.iter().map(Vec::as_slice)).collect();
    index.upsert(&entries).unwrap();
    index
}

fn an_empty_index_finds_nothing(make: Make<'_>) {
    let index = make(2);
    assert!(index.is_empty());
    assert_eq!(index.dimension(), 2);
    assert_eq!(index.search(&[1.0, 0.0], 5, None).unwrap(), []);
    index.remove(&[1, 2, 3]);
    assert_eq!(index.len(), 0);
}

fn finds_what_was_put_in(make: Make<'_>) {
    let vectors = clustered(300, 16, 20, 1);
    let index = filled(make, &vectors);
    assert_eq!(index.len(), 300);
    for (key, vector) in vectors.iter().enumerate() {
        let found = index.search(vector, 1, None).unwrap();
        assert_eq!(keys(&found), [key as u64]);
        assert!((found[0].cosine - 1.0).abs() < 1e-5);
        assert!(found[0].cosine <= 1.0);
    }
}

fn a_present_key_is_replaced(make: Make<'_>) {
    let index = make(2);
    index.upsert(&[(5, &[1.0, 0.0]), (6, &[0.6, 0.8])]).unwrap();
    index
        .upsert(&[(5, &[0.0, 1.0]), (5, &[0.0, -1.0])])
        .unwrap();
    assert_eq!(index.len(), 2);
    let found = index.search(&[0.0, -1.0], 2, None).unwrap();
    assert_eq!(keys(&found), [5, 6]);
    assert!((found[0].cosine - 1.0).abs() < 1e-6);
}

fn removed_keys_are_gone(make: Make<'_>) {
    let index = filled(make, &clustered(100, 16, 7, 2));
    index.remove(&(0..50).collect::<Vec<u64>>());
    index.remove(&[0, 999]);
    assert_eq!(index.len(), 50);
    let found = index.search(&clustered(1, 16, 7, 2)[0], 100, None).unwrap();
    let left: BTreeSet<u64> = keys(&found).into_iter().collect();
    assert_eq!(left, (50..100).collect());
}

fn removing_and_adding_leaves_no_ghost(make: Make<'_>) {
    let vectors = clustered(200, 16, 10, 3);
    let index = filled(make, &vectors);
    for round in 0..5_u64 {
        let gone: Vec<u64> = (0..200).filter(|key| key % 5 == round).collect();
        index.remove(&gone);
        for vector in &vectors {
            let found = index.search(vector, 10, None).unwrap();
            assert!(found.iter().all(|near| near.key % 5 != round));
        }
        let back = gone
            .iter()
            .map(|key| (*key, vectors[*key as usize].as_slice()));
        index.upsert(&back.collect::<Vec<_>>()).unwrap();
        assert_eq!(index.len(), 200);
    }
}

fn a_large_k_returns_everything(make: Make<'_>) {
    let vectors = clustered(40, 16, 4, 4);
    let index = filled(make, &vectors);
    for k in [40, 41, usize::MAX] {
        let found = index.search(&vectors[0], k, None).unwrap();
        assert_eq!(keys(&found).into_iter().collect::<BTreeSet<_>>().len(), 40);
        assert!(found.is_sorted_by(|a, b| a.cosine >= b.cosine));
    }
    assert_eq!(index.search(&vectors[0], 0, None).unwrap(), []);
}

fn ties_go_to_the_smaller_key(make: Make<'_>) {
    let index = make(3);
    let same: &[f32] = &[0.6, 0.0, 0.8];
    let entries: Vec<(u64, &[f32])> = [9, 3, 7, 1, 8].map(|key| (key, same)).into();
    index.upsert(&entries).unwrap();
    let found = index.search(&[0.0, 0.0, 1.0], 3, None).unwrap();
    assert_eq!(keys(&found), [1, 3, 7]);
}

fn the_zero_vector_has_cosine_zero(make: Make<'_>) {
    let index = make(2);
    index
        .upsert(&[(1, &[0.0, 0.0]), (2, &[-1.0, 0.0]), (3, &[-0.0, 0.0])])
        .unwrap();
    let found = index.search(&[1.0, 0.0], 3, None).unwrap();
    assert_eq!(keys(&found), [1, 3, 2]);
    let found = index.search(&[0.0, 0.0], 3, None).unwrap();
    assert_eq!(keys(&found), [1, 2, 3]);
    assert!(found.iter().all(|near| near.cosine == 0.0));
}

fn a_filter_gets_its_k(make: Make<'_>) {
    let vectors = clustered(1_000, 16, 30, 5);
    let index = filled(make, &vectors);
    for modulus in [2, 10, 100, 1_000, 2_000] {
        let admits = |key: u64| key % modulus == modulus - 1;
        let matching = (0..1_000).filter(|key| admits(*key)).count();
        let found = index.search(&vectors[0], 10, Some(&admits)).unwrap();
        assert_eq!(found.len(), matching.min(10), "one in {modulus}");
        assert!(found.iter().all(|near| admits(near.key)));
    }
}

fn bad_vectors_change_nothing(make: Make<'_>) {
    let index = make(2);
    let good: &[f32] = &[1.0, 0.0];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let refused = index.upsert(&[(1, good), (2, &[0.0, bad])]);
        assert!(matches!(
            refused,
            Err(IndexError::NotFinite { component: 1 })
        ));
        let refused = index.search(&[bad, 0.0], 1, None);
        assert!(matches!(
            refused,
            Err(IndexError::NotFinite { component: 0 })
        ));
    }
    for bad in [&[][..], &[1.0], &[1.0, 0.0, 0.0]] {
        let refused = index.upsert(&[(1, good), (2, bad)]);
        let Err(IndexError::Dimension { expected, found }) = refused else {
            panic!("a vector of {} components entered", bad.len());
        };
        assert_eq!((expected, found), (2, bad.len()));
        assert!(index.search(bad, 1, None).is_err());
        assert!(index.cosines(bad, &[1]).is_err());
    }
    assert!(index.is_empty());
}

fn cosines_come_in_the_order_asked(make: Make<'_>) {
    let index = make(2);
    index
        .upsert(&[(1, &[1.0, 0.0]), (2, &[0.0, 1.0]), (3, &[-1.0, 0.0])])
        .unwrap();
    let cosines = index.cosines(&[1.0, 0.0], &[3, 9, 1, 3]).unwrap();
    assert_eq!(cosines, [Some(-1.0), None, Some(1.0), Some(-1.0)]);
}

fn many_read_while_one_writes(make: Make<'_>) {
    let vectors = clustered(400, 16, 10, 6);
    let index = filled(make, &vectors[..200]);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for query in &vectors {
                    let found = index.search(query, 5, None).unwrap();
                    assert_eq!(found.len(), 5);
                }
            });
        }
        for (key, vector) in (200..).zip(&vectors[200..]) {
            index.upsert(&[(key, vector)]).unwrap();
            index.remove(&[key - 200]);
        }
    });
    assert_eq!(index.len(), 200);
}
