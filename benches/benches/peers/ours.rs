//! Our side, through the public trait.

use std::path::Path;

use anyhow::{Context, Result};
use benches::machine::processor_time;
use ee_index::{AdaptiveIndex, IndexConfig, VectorIndex};

use crate::K;
use crate::collection::{BATCH, Collection};
use crate::data::DIMENSION;
use crate::report::Point;

/// What the index is asked for; the first is the one that is built, the others are opened from
/// its file and measure how far to look for themselves.
const RECALLS: [f64; 6] = [0.98, 0.9, 0.95, 0.97, 0.99, 0.995];
const FINGERPRINT: [u8; 32] = [0; 32];

/// One index for every recall that is asked for.
pub(crate) struct Ours {
    indexes: Vec<AdaptiveIndex>,
    build_seconds: f64,
    bytes: usize,
}

impl Ours {
    pub(crate) fn build(collection: &Collection, folder: &Path) -> Result<Self> {
        let file = folder.join("ours.eeindex");
        let config = |recall| IndexConfig {
            recall,
            ..IndexConfig::default()
        };
        let entries = collection.entries();
        let index = AdaptiveIndex::new(DIMENSION, &config(RECALLS[0]))?;
        let (build_seconds, ()) = timed(|| {
            entries
                .chunks(BATCH)
                .try_for_each(|batch| index.upsert(batch))?;
            Ok(())
        })?;
        eprintln!("ours: built in {build_seconds:.1} s");
        index.save(&file, 0, &FINGERPRINT)?;
        let bytes = index.bytes_beside_vectors();
        let opened = RECALLS.iter().skip(1).map(|recall| {
            Ok(AdaptiveIndex::load(&file, DIMENSION, &FINGERPRINT, &config(*recall))?.index)
        });
        let opened: Result<Vec<AdaptiveIndex>> = opened.collect();
        Ok(Self {
            indexes: std::iter::once(index).chain(opened?).collect(),
            build_seconds,
            bytes,
        })
    }

    /// The index in default settings.
    pub(crate) fn default(&self) -> Result<&AdaptiveIndex> {
        self.indexes.first().context("no index was built")
    }

    /// What is to be measured.
    pub(crate) fn points(&self) -> Vec<Point> {
        let point = |recall: &f64| Point {
            index: "ours".into(),
            setting: *recall,
            meaning: "recall asked",
            queries: usize::MAX,
            build_seconds: self.build_seconds,
            bytes: self.bytes as f64,
            recall: 0.0,
            queries_per_second: 0.0,
        };
        RECALLS.iter().map(point).collect()
    }

    /// Seconds a query, and the keys found.
    pub(crate) fn search(
        &self,
        number: usize,
        collection: &Collection,
    ) -> Result<(f64, Vec<Vec<u64>>)> {
        let index = self.indexes.get(number).context("no such index")?;
        let (seconds, found) = timed(|| {
            let found = collection
                .queries()
                .map(|query| index.search(query, K, None));
            Ok(found.collect::<Result<Vec<_>, _>>()?)
        })?;
        let keys = found
            .iter()
            .map(|near| near.iter().map(|near| near.key).collect());
        Ok((seconds / found.len() as f64, keys.collect()))
    }
}

/// Seconds of this thread on the processor that something took.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let now = || processor_time().context("the system does not tell the processor time");
    let start = now()?;
    let result = work()?;
    Ok((now()?.saturating_sub(start).as_secs_f64(), result))
}
