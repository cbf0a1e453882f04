//! Embedding: in bulk against the machine's matrix peak, Python's `onnxruntime` and
//! sentence-transformers; one query against the runtime's call alone.
//!
//! All sides get the same chunks in the same order, tokenise, run, pool and normalise them with the
//! same fp32 weights. The rounds alternate within one run, so that what else the machine does hits
//! all alike. The argument is how many chunks, 2,000 if none.

mod process;
mod query;
mod report;
mod sides;
mod work;

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use benches::corpus::Corpus;
use benches::statistics::Sample;
use benches::{SEED, is_measuring, machine, models};
use ee_embed::{EmbedConfig, Embedder, Embedding, OnnxEmbedder};
use report::{Facts, Round};
use serde_json::{Map, Value, json};
use sides::Sides;

const CHUNKS: usize = 2_000;
const QUERIES: usize = 200;
const ROUNDS: usize = 5;
/// Vectors of two implementations of one fp32 model agree at least this well.
const LEAST_COSINE: f64 = 0.9999;

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let machine = machine::describe();
    let corpus = Corpus::load()?;
    let chunks = corpus.chunks(wanted()?, SEED);
    let ours = models::default_embedder()?;
    let query = query::measure(&ours, &corpus.queries(QUERIES, SEED))?;
    let cores = EmbedConfig::default().sessions();
    let mut sides = Sides::start(&chunks, ours.max_tokens(), cores)?;
    let texts: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let (least, cosines) = agreement(&ours, &mut sides, &texts)?;
    let rounds = (0..ROUNDS).map(|_| round(&ours, &mut sides, &texts));
    let rounds = rounds.collect::<Result<Vec<_>>>()?;
    let tokens = work::tokens(&ours, &chunks)?;
    let facts = Facts {
        chunks: chunks.len(),
        operations: work::operations(&tokens),
        tokens,
        cosines,
        query,
        sides: json!({
            "onnxruntime": sides.runtime.ready,
            "library": sides.library.as_ref().map(|side| &side.ready),
            "peak_shapes": sides.peak.ready,
        }),
        machine,
    };
    report::print(&rounds, &facts);
    println!("{}", report::record(&rounds, &facts));
    ensure!(least >= LEAST_COSINE, "the sides embed differently");
    Ok(())
}

/// How many chunks: the first argument that is not the harness's own.
fn wanted() -> Result<usize> {
    let given = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    given.map_or(Ok(CHUNKS), |word| {
        word.parse()
            .with_context(|| format!("{word} is not a number of chunks"))
    })
}

/// Lets every side embed all chunks once.
fn round(ours: &OnnxEmbedder, sides: &mut Sides, texts: &[&str]) -> Result<Round> {
    let peak = sides.peak()?;
    let start = Instant::now();
    ours.embed_documents(texts)?;
    Ok(Round {
        ours: start.elapsed().as_secs_f64(),
        best: sides.runtime.seconds("best")?,
        usual: sides.runtime.seconds("usual")?,
        library: library(sides)?,
        peak,
    })
}

fn library(sides: &mut Sides) -> Result<Option<f64>> {
    let side = sides.library.as_mut();
    side.map(|side| side.seconds("run")).transpose()
}

/// The least cosine of our vectors to those of each side, chunk by chunk; it warms all sides up.
fn agreement(ours: &OnnxEmbedder, sides: &mut Sides, texts: &[&str]) -> Result<(f64, Value)> {
    let embedded = ours.embed_documents(texts)?;
    let dimension = ours.fingerprint().dimension;
    let mut found = Map::new();
    let mut lowest = f64::INFINITY;
    let mut compare = |name: &str, vectors: &[Vec<f32>]| {
        let least = least_cosine(&embedded, vectors)?;
        lowest = lowest.min(least);
        found.insert(name.to_owned(), json!(least));
        anyhow::Ok(())
    };
    for line in ["usual", "best"] {
        sides.runtime.seconds(line)?;
        compare(&format!("onnxruntime_{line}"), &sides.vectors(dimension)?)?;
    }
    if library(sides)?.is_some() {
        compare("sentence_transformers", &sides.vectors(dimension)?)?;
    }
    Ok((lowest, Value::Object(found)))
}

fn least_cosine(ours: &[Embedding], theirs: &[Vec<f32>]) -> Result<f64> {
    ensure!(
        ours.len() == theirs.len(),
        "the other side wrote {} vectors",
        theirs.len()
    );
    let pairs = ours.iter().zip(theirs);
    Ok(Sample::new(pairs.map(|(a, b)| dot(&a.vector, b))).least())
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
    products.sum()
}
