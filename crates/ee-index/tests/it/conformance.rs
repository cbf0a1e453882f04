//! Every index passes the suite.

use ee_index::{
    AdaptiveIndex, ExactIndex, HyperplaneLsh, IndexConfig, LshIndex, Method, conformance,
};

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
fn codes() {
    for recall in [0.5, 0.98] {
        let config = IndexConfig {
            recall,
            ..IndexConfig::default()
        };
        conformance::check(|dimension| Box::new(LshIndex::new(dimension, &config).unwrap()));
    }
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
    for (exact_up_to, method) in [
        (0, Method::Codes),
        (3, Method::Codes),
        (100, Method::Codes),
        (250, Method::Hyperplanes),
        (100_000, Method::Codes),
    ] {
        let config = IndexConfig {
            exact_up_to,
            method,
            ..IndexConfig::default()
        };
        conformance::check(|dimension| Box::new(AdaptiveIndex::new(dimension, &config).unwrap()));
    }
}
