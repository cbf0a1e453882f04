//! Vectors, queries, and the true neighbours.

use std::path::Path;

use anyhow::{Result, ensure};
use benches::python::read_floats;
use ee_index::{ExactIndex, VectorIndex};

use crate::K;
use crate::data::DIMENSION;

/// Vectors are entered in parts of this many.
pub(crate) const BATCH: usize = 4_096;
/// Cosines that differ by less are equal: sums are rounded differently.
const TIE: f32 = 1e-6;

/// Vectors under keys from 0, queries that are none of them, and what is to be found.
pub(crate) struct Collection {
    vectors: Vec<f32>,
    queries: Vec<f32>,
    /// For each query the cosine of its k-th nearest.
    bars: Vec<f32>,
}

impl Collection {
    /// Reads the files; the truth is kept in the folder.
    pub(crate) fn read(vectors: &Path, queries: &Path, folder: &Path) -> Result<Self> {
        let mut collection = Self {
            vectors: read_floats(vectors)?,
            queries: read_floats(queries)?,
            bars: Vec::new(),
        };
        let kept = folder.join("truth.f32");
        if !kept.is_file() {
            eprintln!("comparing every query with every vector");
            let bars = collection.exact_bars()?;
            let bytes: Vec<u8> = bars.iter().flat_map(|bar| bar.to_le_bytes()).collect();
            std::fs::write(&kept, bytes)?;
        }
        collection.bars = read_floats(&kept)?;
        ensure!(
            collection.bars.len() == collection.queries().count(),
            "remove {}: it belongs to other queries",
            kept.display()
        );
        Ok(collection)
    }

    fn exact_bars(&self) -> Result<Vec<f32>> {
        let exact = ExactIndex::new(DIMENSION);
        exact.upsert(&self.entries())?;
        let bar = |query| {
            let found = exact.search(query, K, None)?;
            Ok(found.last().map_or(-1.0, |near| near.cosine))
        };
        self.queries().map(bar).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.vectors.len() / DIMENSION
    }

    pub(crate) fn entries(&self) -> Vec<(u64, &[f32])> {
        (0..).zip(self.vectors.chunks_exact(DIMENSION)).collect()
    }

    pub(crate) fn queries(&self) -> impl Iterator<Item = &[f32]> {
        self.queries.chunks_exact(DIMENSION)
    }

    /// The mean share of the true neighbours among the keys found for the first queries.
    pub(crate) fn recall(&self, found: &[Vec<u64>]) -> f64 {
        let answered = found.iter().zip(self.queries()).zip(&self.bars);
        let share = |((keys, query), bar): ((&Vec<u64>, &[f32]), &f32)| {
            let cosines = keys
                .iter()
                .filter_map(|key| Some(dot(query, self.vector(*key)?)));
            cosines.filter(|cosine| *cosine >= *bar - TIE).count() as f64 / K as f64
        };
        answered.map(share).sum::<f64>() / found.len().max(1) as f64
    }

    fn vector(&self, key: u64) -> Option<&[f32]> {
        let start = usize::try_from(key).ok()?.checked_mul(DIMENSION)?;
        self.vectors.get(start..start + DIMENSION)
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
