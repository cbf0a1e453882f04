//! The vectors that every index gets, made once and kept.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use benches::python::read_floats;
use benches::{SEED, models, prepared_folder};
use ee_embed::{EmbedConfig, Embedder};
use serde_json::{Value, json};

use crate::texts;

/// Components of a vector.
pub(crate) const DIMENSION: usize = 384;
/// Embeddings of real sentences that are put in.
pub(crate) const REAL: usize = 100_000;
/// Embeddings of real sentences that are asked for, and not put in.
pub(crate) const QUERIES: usize = 1_000;
/// Vectors drawn around the real ones.
pub(crate) const DRAWN: usize = 1_000_000;
/// The mean cosine of a drawn vector to its origin.
const NEARNESS: f64 = 0.9;
const SENTENCES_PER_CALL: usize = 2_048;

/// Files of little-endian floats, vector after vector.
pub(crate) struct Data {
    pub(crate) folder: PathBuf,
}

impl Data {
    /// Embeds the sentences of this machine if that was not done before.
    pub(crate) fn prepared() -> Result<Self> {
        let folder = prepared_folder("bench-data").join(format!("peers-{SEED}"));
        std::fs::create_dir_all(&folder)?;
        let data = Self { folder };
        if !data.folder.join("origin.json").is_file() {
            data.embed()?;
        }
        Ok(data)
    }

    /// Where the vectors come from.
    pub(crate) fn origin(&self) -> Result<Value> {
        let text = std::fs::read_to_string(self.folder.join("origin.json"))?;
        Ok(serde_json::from_str(&text)?)
    }

    pub(crate) fn queries(&self) -> PathBuf {
        self.folder.join("queries.f32")
    }

    pub(crate) fn real(&self) -> PathBuf {
        self.folder.join("real.f32")
    }

    /// The drawn vectors, made now if they were not before.
    pub(crate) fn drawn(&self) -> Result<PathBuf> {
        let file = self.folder.join("drawn.f32");
        if !file.is_file() {
            eprintln!("drawing {DRAWN} vectors");
            draw(&read_floats(&self.real())?, &file)?;
        }
        Ok(file)
    }

    fn embed(&self) -> Result<()> {
        let texts = texts::collect(REAL + QUERIES)?;
        let embedder = models::default_embedder()?;
        let mut vectors = Vec::with_capacity((REAL + QUERIES) * DIMENSION);
        for part in texts.sentences.chunks(SENTENCES_PER_CALL) {
            let part: Vec<&str> = part.iter().map(String::as_str).collect();
            for embedding in embedder.embed_documents(&part)? {
                vectors.extend_from_slice(&embedding.vector);
            }
            eprintln!(
                "embedded {} of {}",
                vectors.len() / DIMENSION,
                REAL + QUERIES
            );
        }
        let (real, queries) = vectors.split_at(REAL * DIMENSION);
        write_floats(&self.real(), real)?;
        write_floats(&self.queries(), queries)?;
        let origin = json!({
            "model": EmbedConfig::default().model,
            "seed": SEED,
            "sentences_added_by": texts.sources,
        });
        Ok(std::fs::write(
            self.folder.join("origin.json"),
            origin.to_string(),
        )?)
    }
}

fn write_floats(file: &Path, floats: &[f32]) -> Result<()> {
    let bytes: Vec<u8> = floats
        .iter()
        .flat_map(|float| float.to_le_bytes())
        .collect();
    std::fs::write(file, bytes).with_context(|| format!("{} cannot be written", file.display()))
}

/// Draws vectors around real ones in turn, with normal noise in every component: its length
/// relative to the origin's is √(1/c² − 1) for a mean cosine of c.
fn draw(real: &[f32], file: &Path) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let spread = ((NEARNESS.powi(-2) - 1.0) / DIMENSION as f64).sqrt();
    let unfinished = file.with_extension("unfinished");
    let mut output = BufWriter::new(std::fs::File::create(&unfinished)?);
    let origins = real.chunks_exact(DIMENSION).cycle();
    for origin in origins.take(DRAWN) {
        let moved: Vec<f64> = origin
            .iter()
            .map(|component| f64::from(*component) + spread * normal(&mut random))
            .collect();
        let norm = moved.iter().map(|c| c * c).sum::<f64>().sqrt();
        for component in moved {
            output.write_all(&((component / norm) as f32).to_le_bytes())?;
        }
    }
    output.flush()?;
    Ok(std::fs::rename(unfinished, file)?)
}

/// A standard normal number, after Box and Muller.
fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}
