//! Figures of the rounds, as a table and as a record.

use benches::SEED;
use benches::statistics::Sample;
use serde_json::{Value, json};

/// One round on each side: seconds for all chunks, and the peak in 10⁹ operations a second.
pub(crate) struct Round {
    pub(crate) ours: f64,
    pub(crate) usual: f64,
    pub(crate) best: f64,
    pub(crate) library: Option<f64>,
    pub(crate) peak: f64,
}

/// What was measured, beside the rounds.
pub(crate) struct Facts {
    pub(crate) chunks: usize,
    pub(crate) tokens: Sample,
    /// Multiplications and additions for all chunks.
    pub(crate) operations: f64,
    /// The least cosine to each other side's vectors, by the side's name.
    pub(crate) cosines: Value,
    pub(crate) query: Value,
    pub(crate) sides: Value,
    pub(crate) machine: Value,
}

/// The record of a run.
pub(crate) fn record(rounds: &[Round], facts: &Facts) -> Value {
    let seconds = |of: &dyn Fn(&Round) -> Option<f64>| Sample::new(rounds.iter().filter_map(of));
    let rate = |of: &dyn Fn(&Round) -> Option<f64>| facts.chunks as f64 / seconds(of).median();
    let ratio = |of: &dyn Fn(&Round) -> Option<f64>| {
        spread(&seconds(&|round| Some(of(round)? / round.ours)))
    };
    let (tokens, operations) = (&facts.tokens, facts.operations * 1e-9);
    json!({
        "benchmark": "embed",
        "model": "all-MiniLM-L6-v2, fp32 on all sides",
        "chunks": facts.chunks,
        "tokens_per_chunk": { "mean": tokens.mean(), "p50": tokens.median(), "most": tokens.percentile(100.0) },
        "rounds": rounds.len(),
        "chunks_per_second": {
            "ours": rate(&|round| Some(round.ours)),
            "onnxruntime_usual": rate(&|round| Some(round.usual)),
            "onnxruntime_best": rate(&|round| Some(round.best)),
            "sentence_transformers": rate(&|round| round.library),
        },
        "gflops": operations / seconds(&|round| Some(round.ours)).median(),
        "peak_gflops": seconds(&|round| Some(round.peak)).median(),
        "share_of_peak": spread(&seconds(&|round| Some(operations / round.ours / round.peak))),
        "ratio_to_onnxruntime_usual": ratio(&|round| Some(round.usual)),
        "ratio_to_onnxruntime_best": ratio(&|round| Some(round.best)),
        "ratio_to_sentence_transformers": ratio(&|round| round.library),
        "cosine_least": facts.cosines,
        "query": facts.query,
        "seed": SEED,
        "version": env!("CARGO_PKG_VERSION"),
        "sides": facts.sides,
        "machine": facts.machine,
    })
}

fn spread(sample: &Sample) -> Value {
    json!({ "median": sample.median(), "least": sample.least(), "most": sample.percentile(100.0) })
}

/// Prints rounds and medians.
pub(crate) fn print(rounds: &[Round], facts: &Facts) {
    println!(
        "{} chunks of about 100 words, all-MiniLM-L6-v2 fp32; chunks per second, GFLOP/s",
        facts.chunks
    );
    let names = [
        "round", "ours", "ort 32", "ort best", "library", "GFLOP/s", "peak", "share",
    ];
    println!("{}", names.map(|name| format!("{name:>9}")).join(""));
    for (number, round) in (1..).zip(rounds) {
        let rate = |seconds: f64| facts.chunks as f64 / seconds;
        let speed = facts.operations * 1e-9 / round.ours;
        println!(
            "{number:>9}{:>9.1}{:>9.1}{:>9.1}{:>9.1}{speed:>9.1}{:>9.1}{:>9.2}",
            rate(round.ours),
            rate(round.usual),
            rate(round.best),
            round.library.map_or(f64::NAN, rate),
            round.peak,
            speed / round.peak,
        );
    }
}
