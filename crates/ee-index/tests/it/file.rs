//! Index files: what is kept, and what is noticed.

use std::path::{Path, PathBuf};

use ee_index::conformance::clustered;
use ee_index::{AdaptiveIndex, FORMAT_VERSION, IndexConfig, IndexError, VectorIndex};

const FINGERPRINT: [u8; 32] = *b"a model's fingerprint, 32 bytes.";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/index")
        .join(name)
}

fn sample() -> AdaptiveIndex {
    let index = AdaptiveIndex::new(3, &IndexConfig::default()).unwrap();
    index
        .upsert(&[
            (7, &[1.0, 0.0, 0.0]),
            (u64::MAX, &[0.0, 0.6, 0.8]),
            (0, &[0.0, 0.0, 0.0]),
        ])
        .unwrap();
    index
}

fn load(path: &Path) -> Result<(AdaptiveIndex, u64), IndexError> {
    let opened = AdaptiveIndex::load(path, 3, &FINGERPRINT, &IndexConfig::default())?;
    assert!(opened.is_complete);
    Ok((opened.index, opened.sequence))
}

fn saved() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.eeindex");
    sample().save(&path, 99, &FINGERPRINT).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (folder, path, bytes)
}

#[test]
fn every_earlier_format_still_opens() {
    for version in 1..=FORMAT_VERSION {
        let (index, sequence) = load(&fixture(&format!("format-{version}.eeindex"))).unwrap();
        assert_eq!((index.len(), sequence), (3, 99));
        let found = index.search(&[0.0, 0.6, 0.8], 1, None).unwrap();
        assert_eq!(found[0].key, u64::MAX);
    }
}

#[test]
fn the_layout_is_the_documented_one() {
    let (_folder, _, bytes) = saved();
    let first = std::fs::read(fixture("format-1.eeindex")).unwrap();
    assert_eq!(bytes[8..12], 3_u32.to_le_bytes());
    assert_eq!(bytes[12..72], first[12..72]);
    assert_eq!(bytes[80..104], first[80..104], "the keys");
    assert_eq!(bytes[104..128], [0; 24], "up to a multiple of 64");
    assert_eq!(bytes[128..], first[104..], "the vectors");
}

#[test]
fn an_opened_index_changes_and_its_file_does_not() {
    let (_folder, path, bytes) = saved();
    let (index, _) = load(&path).unwrap();
    index
        .upsert(&[(7, &[0.0, 1.0, 0.0]), (8, &[0.0, 0.0, 1.0])])
        .unwrap();
    index.remove(&[u64::MAX]);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(index.len(), 3);
    let cosines = index
        .cosines(&[0.0, 1.0, 0.0], &[7, 8, u64::MAX, 0])
        .unwrap();
    assert_eq!(cosines, [Some(1.0), Some(0.0), None, Some(0.0)]);
    index.remove(&[0, 7, 8]);
    assert!(index.is_empty());
    index.upsert(&[(1, &[1.0, 0.0, 0.0])]).unwrap();
    index.save(&path, 100, &FINGERPRINT).unwrap();
    let (again, sequence) = load(&path).unwrap();
    assert_eq!((again.len(), sequence), (1, 100));
}

#[test]
fn any_changed_byte_is_noticed() {
    let (_folder, path, bytes) = saved();
    for position in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[position] ^= 0x10;
        std::fs::write(&path, altered).unwrap();
        let refused = load(&path);
        let noticed = matches!(
            refused,
            Err(IndexError::Damaged { .. } | IndexError::Newer { .. })
        );
        assert!(noticed, "byte {position}");
    }
}

#[test]
fn any_cut_or_addition_is_noticed() {
    let (_folder, path, mut bytes) = saved();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(
            matches!(load(&path), Err(IndexError::Damaged { .. })),
            "{length} bytes"
        );
    }
    bytes.push(0);
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(load(&path), Err(IndexError::Damaged { .. })));
}

#[test]
fn a_later_format_is_named() {
    let (_folder, path, mut bytes) = saved();
    bytes[8..12].copy_from_slice(&(FORMAT_VERSION + 1).to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let Err(IndexError::Newer {
        found, supported, ..
    }) = load(&path)
    else {
        panic!("a later format was read");
    };
    assert_eq!((found, supported), (FORMAT_VERSION + 1, FORMAT_VERSION));
}

#[test]
fn another_model_or_dimension_is_refused() {
    let (_folder, path, _) = saved();
    let config = IndexConfig::default();
    let other_model = AdaptiveIndex::load(&path, 3, &[0; 32], &config);
    assert!(matches!(other_model, Err(IndexError::OtherModel { .. })));
    let other_dimension = AdaptiveIndex::load(&path, 4, &FINGERPRINT, &config);
    assert!(matches!(
        other_dimension,
        Err(IndexError::OtherModel { .. })
    ));
}

#[test]
fn an_absent_file_is_not_a_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    let Err(IndexError::File { source, .. }) = load(&folder.path().join("none")) else {
        panic!("a file came from nowhere");
    };
    assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn saving_replaces_the_file_and_leaves_nothing_else() {
    let (folder, path, _) = saved();
    sample().save(&path, 100, &FINGERPRINT).unwrap();
    assert_eq!(load(&path).unwrap().1, 100);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn codes_are_kept_unless_the_seed_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.eeindex");
    let config = IndexConfig {
        exact_up_to: 100,
        ..IndexConfig::default()
    };
    let vectors = clustered(3_000, 16, 50, 5);
    let entries: Vec<(u64, &[f32])> = (0..).zip(vectors.iter().map(Vec::as_slice)).collect();
    let index = AdaptiveIndex::new(16, &config).unwrap();
    index.upsert(&entries).unwrap();
    index.save(&path, 1, &FINGERPRINT).unwrap();
    let lower = IndexConfig {
        recall: 0.9,
        ..config.clone()
    };
    let other = IndexConfig {
        hash_seed: 7,
        ..config.clone()
    };
    let copy = folder.path().join("copy.eeindex");
    for (config, is_complete) in [(config, true), (lower, false), (other, false)] {
        let open = |path| AdaptiveIndex::load(path, 16, &FINGERPRINT, &config).unwrap();
        let opened = open(&path);
        assert_eq!(opened.is_complete, is_complete, "{config:?}");
        let again = opened.index;
        again.save(&copy, 1, &FINGERPRINT).unwrap();
        assert!(open(&copy).is_complete, "{config:?}");
        assert!(!again.is_exact());
        again.remove(&[5]);
        again.upsert(&entries[..1]).unwrap();
        let found = entries.iter().filter(|(key, vector)| {
            let nearest = again.search(vector, 1, None).unwrap();
            assert_ne!(nearest[0].key, 5);
            nearest[0].key == *key
        });
        let found = found.count();
        assert!(found >= 2_700, "{found} of 2,999 vectors find themselves");
    }
}
