//! The vectors of made-up units: embedded once, kept for later runs.

use std::sync::Arc;

use anyhow::Result;
use ee_embed::Embedder;
use fastrand::Rng;

use super::VERSION;
use crate::corpus::Corpus;
use crate::{SEED, prepared_folder};

/// Units whose opening is embedded. The vector of a further unit is drawn around one of theirs.
pub(super) const EMBEDDED: usize = 100_000;
/// The mean cosine of a drawn vector to its origin.
const COSINE: f32 = 0.9;

/// The vectors of made-up units.
pub(super) struct Vectors(Vec<Arc<[f32]>>);

impl Vectors {
    /// Embeds the openings, or reads what an earlier run embedded.
    pub(super) fn of(embedded: usize, corpus: &Corpus, embedder: &dyn Embedder) -> Result<Self> {
        let name = format!("openings-{embedded}-{SEED}-{VERSION}.f32");
        let file = prepared_folder("bench-data").join(name);
        let dimension = embedder.fingerprint().dimension;
        if !file.is_file() {
            let bytes = embedded_openings(embedded, corpus, embedder)?;
            std::fs::create_dir_all(prepared_folder("bench-data"))?;
            std::fs::write(file.with_extension("part"), bytes)?;
            std::fs::rename(file.with_extension("part"), &file)?;
        }
        let bytes = std::fs::read(&file)?;
        let vectors = bytes.chunks_exact(dimension * size_of::<f32>());
        Ok(Self(vectors.map(vector).collect()))
    }

    /// The vector of the unit of this number: the one of its opening, or one that lies around it
    /// in a random direction.
    pub(super) fn get(&self, number: usize) -> Arc<[f32]> {
        let origin = self.0.get(number % self.0.len().max(1));
        match origin {
            Some(origin) if number >= self.0.len() => around(origin, SEED ^ number as u64),
            Some(origin) => Arc::clone(origin),
            None => Arc::default(),
        }
    }
}

/// The vectors of the openings of so many units, as little-endian `f32`.
fn embedded_openings(embedded: usize, corpus: &Corpus, embedder: &dyn Embedder) -> Result<Vec<u8>> {
    eprintln!("embedding the openings of {embedded} units");
    let openings = corpus.units(embedded, SEED).map(|unit| unit.opening);
    let openings: Vec<String> = openings.collect();
    let openings: Vec<&str> = openings.iter().map(String::as_str).collect();
    let made = embedder.embed_documents(&openings)?;
    let values = made.iter().flat_map(|made| &made.vector);
    Ok(values.flat_map(|value| value.to_le_bytes()).collect())
}

fn vector(bytes: &[u8]) -> Arc<[f32]> {
    let (values, _) = bytes.as_chunks::<4>();
    values
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect()
}

/// A unit vector at the cosine [`COSINE`] to `origin`, in a random direction.
fn around(origin: &[f32], seed: u64) -> Arc<[f32]> {
    let mut random = Rng::with_seed(seed);
    // A sum of uniform numbers is near enough to a normal one.
    let mut normal = || (0..4).map(|_| random.f32() - 0.5).sum::<f32>();
    let noise: Vec<f32> = origin.iter().map(|_| normal()).collect();
    let along: f32 = noise.iter().zip(origin).map(|(n, o)| n * o).sum();
    let across: Vec<f32> = noise
        .iter()
        .zip(origin)
        .map(|(n, o)| n - along * o)
        .collect();
    let length = across.iter().map(|value| value * value).sum::<f32>().sqrt();
    let share = (1.0 - COSINE * COSINE).sqrt() / length;
    let pairs = origin.iter().zip(&across);
    pairs.map(|(o, a)| COSINE * o + share * a).collect()
}
