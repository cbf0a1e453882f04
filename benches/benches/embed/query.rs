//! One query: `embed_query` against the runtime's call alone on the same ids.

use std::time::Instant;

use anyhow::Result;
use benches::statistics::Sample;
use ee_embed::{Embedder, OnnxEmbedder};
use serde_json::{Value, json};

/// Times each query is embedded either way, after once to warm up.
const TURNS: usize = 5;

/// Medians in milliseconds and their ratio. The two ways take turns on one session, query by query.
pub(crate) fn measure(ours: &OnnxEmbedder, queries: &[String]) -> Result<Value> {
    let (mut whole, mut bare) = (Vec::new(), Vec::new());
    for turn in 0..=TURNS {
        for query in queries {
            let start = Instant::now();
            ours.embed_query(query)?;
            let embedded = start.elapsed();
            let run = ours.time_query_run(query)?;
            if turn > 0 {
                whole.push(embedded.as_secs_f64() * 1e3);
                bare.push(run.as_secs_f64() * 1e3);
            }
        }
    }
    let (whole, bare) = (Sample::new(whole), Sample::new(bare));
    Ok(json!({
        "queries": queries.len(),
        "embed_p50_ms": whole.median(),
        "embed_p99_ms": whole.percentile(99.0),
        "bare_p50_ms": bare.median(),
        "ratio": whole.median() / bare.median(),
    }))
}
