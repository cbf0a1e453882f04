//! Bulk embedding: this project against Python's `onnxruntime`, the same fp32 model on both sides.
//!
//! Both sides get the same chunks in the same order, tokenise, run, pool and normalise them. The
//! rounds alternate within one run, so that what else the machine does hits both alike.

mod python;

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use benches::corpus::Corpus;
use benches::statistics::Sample;
use benches::{SEED, is_measuring, machine, models};
use ee_embed::{Embedder, OnnxEmbedder};
use python::Baseline;
use serde_json::{Value, json};

const CHUNKS: usize = 2_000;
const ROUNDS: usize = 5;
/// Vectors of two implementations of one fp32 model agree at least this well.
const LEAST_COSINE: f64 = 0.9999;

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let machine = machine::describe();
    let chunks = Corpus::load()?.chunks(CHUNKS, SEED);
    let ours = models::default_embedder()?;
    let mut theirs = Baseline::start(&chunks, ours.max_tokens())?;
    let rounds = measure(&ours, &mut theirs, &chunks)?;
    let cosines = agreement(&ours, &theirs, &chunks)?;
    let report = report(
        &rounds,
        &cosines,
        &tokens(&ours, &chunks)?,
        theirs.versions(),
        &machine,
    );
    print_table(&rounds, &report);
    println!("{report}");
    ensure!(
        cosines.least() >= LEAST_COSINE,
        "the two sides embed differently"
    );
    Ok(())
}

/// Seconds of one round on each side.
struct Round {
    ours: f64,
    theirs: f64,
}

/// One round on each side to warm up, then the measured ones.
fn measure(ours: &OnnxEmbedder, theirs: &mut Baseline, chunks: &[String]) -> Result<Vec<Round>> {
    let texts: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let mut round = || -> Result<Round> {
        let start = Instant::now();
        ours.embed_documents(&texts)?;
        let ours = start.elapsed().as_secs_f64();
        Ok(Round {
            ours,
            theirs: theirs.run()?,
        })
    };
    round()?;
    (0..ROUNDS).map(|_| round()).collect()
}

/// The cosine of both sides' vectors, chunk by chunk.
fn agreement(ours: &OnnxEmbedder, theirs: &Baseline, chunks: &[String]) -> Result<Sample> {
    let texts: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let embedded = ours.embed_documents(&texts)?;
    let other = theirs.vectors(ours.fingerprint().dimension)?;
    ensure!(
        other.len() == embedded.len(),
        "the baseline wrote {} vectors",
        other.len()
    );
    let pairs = embedded.iter().zip(&other);
    Ok(Sample::new(pairs.map(|(a, b)| dot(&a.vector, b))))
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}

fn tokens(ours: &OnnxEmbedder, chunks: &[String]) -> Result<Sample> {
    let counts = chunks
        .iter()
        .map(|chunk| ours.count_tokens(chunk).map(|count| count as f64));
    let counts: Result<Vec<f64>, _> = counts.collect();
    Ok(Sample::new(counts.context("a chunk cannot be tokenised")?))
}

fn report(
    rounds: &[Round],
    cosines: &Sample,
    tokens: &Sample,
    versions: &Value,
    machine: &Value,
) -> Value {
    let per_second = |seconds: f64| CHUNKS as f64 / seconds;
    let ours = Sample::new(rounds.iter().map(|round| round.ours));
    let theirs = Sample::new(rounds.iter().map(|round| round.theirs));
    let ratios = Sample::new(rounds.iter().map(|round| round.theirs / round.ours));
    json!({
        "benchmark": "embed",
        "model": "all-MiniLM-L6-v2, fp32 on both sides",
        "chunks": CHUNKS,
        "tokens_per_chunk": { "mean": tokens.mean(), "p50": tokens.median(), "most": tokens.percentile(100.0) },
        "rounds": rounds.len(),
        "chunks_per_second": per_second(ours.median()),
        "baseline_chunks_per_second": per_second(theirs.median()),
        "ratio": ratios.median(),
        "ratio_least": ratios.least(),
        "ratio_most": ratios.percentile(100.0),
        "cosine_least": cosines.least(),
        "cosine_mean": cosines.mean(),
        "seed": SEED,
        "version": env!("CARGO_PKG_VERSION"),
        "baseline": versions,
        "machine": machine,
    })
}

fn print_table(rounds: &[Round], report: &Value) {
    println!("{CHUNKS} chunks of about 100 words, all-MiniLM-L6-v2 fp32; chunks per second");
    println!(
        "{:>8} {:>10} {:>10} {:>7}",
        "round", "ours", "python", "ratio"
    );
    for (number, round) in (1..).zip(rounds) {
        let (ours, theirs) = (CHUNKS as f64 / round.ours, CHUNKS as f64 / round.theirs);
        println!(
            "{number:>8} {ours:>10.1} {theirs:>10.1} {:>7.2}",
            ours / theirs
        );
    }
    let figure = |name: &str| report.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    println!(
        "{:>8} {:>10.1} {:>10.1} {:>7.2}   cosine of the two sides at least {:.6}",
        "median",
        figure("chunks_per_second"),
        figure("baseline_chunks_per_second"),
        figure("ratio"),
        figure("cosine_least"),
    );
}
