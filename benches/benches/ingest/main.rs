//! Ingestion: how fast each format becomes units, and what embedding takes of the whole.
//!
//! Parsing alone is everything from the bytes of a file to finished units: decoding, the format,
//! sections and kinds, cutting to the window, summaries, ids, places and links. Tokens are counted
//! by spaces, so that no tokenizer's time is in it. One thread, processor time; megabytes (10⁶) are
//! those of the file.

mod documents;
mod whole;

use std::time::{Duration, Instant};

use anyhow::Result;
use benches::corpus::Corpus;
use benches::machine::{self, processor_time};
use benches::statistics::Sample;
use benches::{SEED, is_measuring};
use documents::{Document, documents};
use ee_ingest::{IngestConfig, Relations, SourceInput, TokenCounter, parse_source};
use km_core::{Governance, SourceId};
use serde_json::{Value, json};
use whole::Whole;

/// Documents whose parsing is measured, of about 34 kB each in Markdown.
const PARSED: usize = 100;
const ROUNDS: usize = 7;
/// Documents of the whole ingestion, a section or so each.
const INGESTED: usize = 300;
const INGESTED_BYTES: usize = 3_000;

type Render = fn(&Document) -> Result<String>;
const FORMATS: [(&str, Render); 4] = [
    ("md", Document::markdown),
    ("html", Document::html),
    ("csv", Document::csv),
    ("json", Document::json),
];

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let machine = machine::describe();
    let documents = documents(&Corpus::load()?, PARSED.max(INGESTED))?;
    println!("parsing alone, one thread, median of {ROUNDS} rounds");
    let parsed = FORMATS.iter().map(|(ending, render)| {
        let texts = documents.iter().take(PARSED).map(render);
        parsing(ending, &texts.collect::<Result<Vec<_>>>()?)
    });
    let parsed: Vec<Value> = parsed.collect::<Result<_>>()?;
    let whole = whole(&documents)?;
    let share = whole.embedding_seconds / whole.seconds;
    println!(
        "whole ingestion of {INGESTED} documents, {} units: {:.1} s, embedding {:.1} % of it",
        whole.units,
        whole.seconds,
        share * 100.0
    );
    let report = json!({
        "benchmark": "ingest", "seed": SEED, "rounds": ROUNDS, "parsing": parsed,
        "whole": {
            "documents": INGESTED, "units": whole.units, "seconds": whole.seconds,
            "embedding_seconds": whole.embedding_seconds, "embedding_share": share,
        },
        "version": env!("CARGO_PKG_VERSION"), "machine": machine,
    });
    println!("{report}");
    Ok(())
}

/// Megabytes a second from bytes to units.
fn parsing(ending: &str, texts: &[String]) -> Result<Value> {
    let inputs: Vec<SourceInput> = (0..)
        .zip(texts)
        .map(|(n, text)| input(n, ending, text))
        .collect();
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let mut units = parse_all(&inputs)?;
    let mut rates = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Clock::start();
        units = parse_all(&inputs)?;
        rates.push(megabytes / start.elapsed().as_secs_f64());
    }
    let rates = Sample::new(rates);
    println!(
        "  {ending:<5} {:>6.1} MB/s ({:.1} to {:.1}); {megabytes:.1} MB, {units} units",
        rates.median(),
        rates.least(),
        rates.percentile(100.0)
    );
    Ok(json!({
        "format": ending, "megabytes": megabytes, "units": units,
        "megabytes_per_second": rates.median(),
        "least": rates.least(), "most": rates.percentile(100.0),
    }))
}

fn input(number: usize, ending: &str, text: &str) -> SourceInput {
    SourceInput {
        source: SourceId::new(format!("{number:04}.{ending}")),
        bytes: text.as_bytes().to_vec(),
        governance: Governance::default(),
        relations: Relations::default(),
    }
}

fn parse_all(inputs: &[SourceInput]) -> Result<usize> {
    let config = IngestConfig::default();
    let mut units = 0;
    for input in inputs {
        units += parse_source(input, &config, &Spaces)??.units.len();
    }
    Ok(units)
}

/// Counts spaces.
struct Spaces;

impl TokenCounter for Spaces {
    fn count(&self, text: &str) -> usize {
        text.bytes().filter(|byte| *byte == b' ').count() + 3
    }

    fn max_tokens(&self) -> usize {
        256
    }
}

/// The thread's processor time where the system tells it, else the clock's.
struct Clock(Option<Duration>, Instant);

impl Clock {
    fn start() -> Self {
        Self(processor_time(), Instant::now())
    }

    fn elapsed(&self) -> Duration {
        let used = self
            .0
            .zip(processor_time())
            .map(|(start, now)| now.saturating_sub(start));
        used.unwrap_or_else(|| self.1.elapsed())
    }
}

fn whole(documents: &[Document]) -> Result<Whole> {
    let short = |document: &Document| {
        let mut text = document.markdown()?;
        text.truncate(text.floor_char_boundary(INGESTED_BYTES));
        Ok(text)
    };
    let texts = documents.iter().take(INGESTED).map(short);
    let texts = texts.collect::<Result<_>>()?;
    let folder = std::env::temp_dir().join(format!("eerag-bench-ingest-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let whole = whole::ingest(&folder, texts);
    std::fs::remove_dir_all(&folder)?;
    whole
}
