//! The adaptive index changes its ways by size.

use ee_index::{AdaptiveIndex, IndexConfig, IndexError, VectorIndex, conformance::clustered};

#[test]
fn hashes_above_its_limit_and_compares_again_at_half() {
    let config = IndexConfig {
        exact_up_to: 100,
        ..IndexConfig::default()
    };
    let index = AdaptiveIndex::new(16, &config).unwrap();
    let vectors = clustered(101, 16, 10, 1);
    for (key, vector) in (0..).zip(&vectors) {
        assert!(index.is_exact(), "at {key} vectors");
        index.upsert(&[(key, vector)]).unwrap();
    }
    assert!(!index.is_exact());
    index.remove(&(0..50).collect::<Vec<_>>());
    assert!(!index.is_exact(), "at 51 vectors");
    index.remove(&[50]);
    assert!(index.is_exact(), "at 50 vectors");
    let found = index.search(&vectors[77], 1, None).unwrap();
    assert_eq!(found[0].key, 77);
}

#[test]
fn refuses_settings_out_of_range() {
    let config = IndexConfig {
        hash_functions: 25,
        ..IndexConfig::default()
    };
    let refused = AdaptiveIndex::new(16, &config);
    assert!(matches!(refused, Err(IndexError::Setting { .. })));
}
