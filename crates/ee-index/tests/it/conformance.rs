//! Every index passes the suite.

use ee_index::{AdaptiveIndex, ExactIndex, HyperplaneLsh, IndexConfig, conformance};

#[test]
fn exact() {
    conformance::check(|dimension| Box::new(ExactIndex::new(dimension)));
}

#[test]
fn hyperplanes() {
    let config = IndexConfig::default();
    conformance::check(|dimension| Box::new(HyperplaneLsh::new(dimension, &config).unwrap()));
}

#[test]
fn one_table_of_one_function() {
    let config = IndexConfig {
        hash_functions: 1,
        hash_tables: 1,
        hash_probes: 1,
        ..IndexConfig::default()
    };
    conformance::check(|dimension| Box::new(HyperplaneLsh::new(dimension, &config).unwrap()));
}

#[test]
fn adaptive_on_both_sides_of_its_limit() {
    for exact_up_to in [0, 3, 100, 250, 100_000] {
        let config = IndexConfig {
            exact_up_to,
            ..IndexConfig::default()
        };
        conformance::check(|dimension| Box::new(AdaptiveIndex::new(dimension, &config).unwrap()));
    }
}
