//! How much there is to calculate.

use anyhow::{Context, Result};
use benches::statistics::Sample;
use ee_embed::{Embedder, OnnxEmbedder};

const LAYERS: f64 = 6.0;
const HIDDEN: f64 = 384.0;

/// Tokens that the model sees of each chunk.
pub(crate) fn tokens(ours: &OnnxEmbedder, chunks: &[String]) -> Result<Sample> {
    let window = ours.max_tokens();
    let counts = chunks.iter().map(|chunk| ours.count_tokens(chunk));
    let counts: Result<Vec<usize>, _> = counts.collect();
    let counts = counts.context("a chunk cannot be tokenised")?;
    let seen = counts.into_iter().map(|count| count.min(window) as f64);
    Ok(Sample::new(seen))
}

/// Multiplications and additions in the matrix products of all-MiniLM-L6-v2 for texts of these
/// lengths, without padding: the four square projections and the two of the feed-forward part,
/// four times as wide, and in attention the scores and the weighted sum.
pub(crate) fn operations(tokens: &Sample) -> f64 {
    let dense = 2.0 * (4.0 * HIDDEN * HIDDEN + 2.0 * HIDDEN * 4.0 * HIDDEN);
    let of = |length: f64| length * LAYERS * (dense + 4.0 * length * HIDDEN);
    tokens.figures().iter().copied().map(of).sum()
}
