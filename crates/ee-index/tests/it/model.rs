//! Any sequence of operations leaves what a sorted map would hold.

use std::collections::BTreeMap;

use ee_index::{AdaptiveIndex, ExactIndex, HyperplaneLsh, IndexConfig, LshIndex, VectorIndex};
use proptest::prelude::*;

const DIMENSION: usize = 4;

#[derive(Debug, Clone)]
enum Operation {
    Upsert(Vec<(u64, [f32; DIMENSION])>),
    Remove(Vec<u64>),
}

fn vector() -> impl Strategy<Value = [f32; DIMENSION]> {
    prop::array::uniform4(-8_i8..=8).prop_map(|steps| {
        let raw = steps.map(f32::from);
        let norm = raw.iter().map(|c| c * c).sum::<f32>().sqrt();
        if norm > 0.0 {
            raw.map(|c| c / norm)
        } else {
            raw
        }
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        prop::collection::vec((0_u64..40, vector()), 0..12).prop_map(Operation::Upsert),
        prop::collection::vec(0_u64..40, 0..12).prop_map(Operation::Remove),
    ]
}

fn apply(index: &dyn VectorIndex, model: &mut BTreeMap<u64, [f32; DIMENSION]>, step: &Operation) {
    match step {
        Operation::Upsert(entries) => {
            model.extend(entries.iter().copied());
            let entries: Vec<(u64, &[f32])> = entries
                .iter()
                .map(|(key, v)| (*key, v.as_slice()))
                .collect();
            index.upsert(&entries).unwrap();
        }
        Operation::Remove(keys) => {
            model.retain(|key, _| !keys.contains(key));
            index.remove(keys);
        }
    }
}

/// The right answer, from the model.
fn truth(model: &BTreeMap<u64, [f32; DIMENSION]>, query: &[f32], k: usize) -> Vec<(u64, f32)> {
    let cosine = |v: &[f32; DIMENSION]| v.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
    let mut all: Vec<(u64, f32)> = model.iter().map(|(key, v)| (*key, cosine(v))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(k);
    all
}

fn indexes() -> [(bool, Box<dyn VectorIndex>); 4] {
    let config = IndexConfig {
        exact_up_to: 12,
        hash_functions: 3,
        hash_tables: 2,
        hash_probes: 4,
        ..IndexConfig::default()
    };
    [
        (false, Box::new(LshIndex::new(DIMENSION, &config).unwrap())),
        (true, Box::new(ExactIndex::new(DIMENSION))),
        (
            false,
            Box::new(HyperplaneLsh::new(DIMENSION, &config).unwrap()),
        ),
        (
            false,
            Box::new(AdaptiveIndex::new(DIMENSION, &config).unwrap()),
        ),
    ]
}

proptest! {
    #[test]
    fn no_ghosts_and_no_losses(
        steps in prop::collection::vec(operation(), 1..20),
        query in vector(),
        k in 1_usize..12,
    ) {
        for (exact, index) in indexes() {
            let mut model = BTreeMap::new();
            for step in &steps {
                apply(index.as_ref(), &mut model, step);
                prop_assert_eq!(index.len(), model.len());
                let found = index.search(&query, k, None).unwrap();
                let truth = truth(&model, &query, k);
                prop_assert_eq!(found.len(), truth.len());
                for near in &found {
                    let held = model.get(&near.key);
                    prop_assert!(held.is_some(), "key {} is a ghost", near.key);
                    let cosine = index.cosines(&query, &[near.key]).unwrap()[0];
                    prop_assert_eq!(cosine, Some(near.cosine));
                }
                if exact {
                    for (near, (_, cosine)) in found.iter().zip(&truth) {
                        prop_assert!((near.cosine - cosine).abs() < 1e-5);
                    }
                }
            }
            let everything = index.search(&query, usize::MAX, None).unwrap();
            let mut keys: Vec<u64> = everything.iter().map(|near| near.key).collect();
            keys.sort_unstable();
            prop_assert_eq!(keys, model.keys().copied().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_file_brings_back_the_same_index(
        steps in prop::collection::vec(operation(), 0..10),
        query in vector(),
        sequence: u64,
        fingerprint: [u8; 32],
        exact_up_to in prop_oneof![Just(0_usize), Just(12)],
    ) {
        let config = IndexConfig { exact_up_to, ..IndexConfig::default() };
        let index = AdaptiveIndex::new(DIMENSION, &config).unwrap();
        let mut model = BTreeMap::new();
        for step in &steps {
            apply(&index, &mut model, step);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.eeindex");
        index.save(&path, sequence, &fingerprint).unwrap();
        let opened = AdaptiveIndex::load(&path, DIMENSION, &fingerprint, &config).unwrap();
        let again = opened.index;
        prop_assert_eq!(opened.sequence, sequence);
        prop_assert_eq!(again.len(), index.len());
        prop_assert_eq!(
            again.search(&query, usize::MAX, None).unwrap(),
            index.search(&query, usize::MAX, None).unwrap()
        );
    }
}
