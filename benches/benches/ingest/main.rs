//! Ingestion: how fast each format becomes units, and what embedding takes of the whole.
//!
//! The whole is compared with the embedding of the same texts alone, in the same calls, right after
//! it: reading, parsing, storing and indexing go on beside the embedder, so that the time in which
//! it is at work says little about what they cost.
//!
//! Parsing alone is everything from the bytes of a file to finished units: decoding, the format,
//! sections and kinds, cutting to the window, summaries, ids, places and links. Tokens are counted
//! by spaces, so that no tokenizer's time is in it. On one thread, in processor time, and on all
//! cores as ingestion parses, by the clock; megabytes (10⁶) are those of the file.

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
use rayon::prelude::*;
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
    println!("parsing alone, MB/s, median of {ROUNDS} rounds: one thread, all cores");
    let parsed = FORMATS.iter().map(|(ending, render)| {
        let texts = documents.iter().take(PARSED).map(render);
        parsing(ending, &texts.collect::<Result<Vec<_>>>()?)
    });
    let parsed: Vec<Value> = parsed.collect::<Result<_>>()?;
    let whole = whole(&documents)?;
    let share = whole.alone_seconds / whole.seconds;
    let at_work = whole.embedding_seconds / whole.seconds;
    println!(
        "whole ingestion of {INGESTED} documents, {} units: {:.1} s; embedding the same texts \
         alone {:.1} s, {:.1} % of it; the embedder was at work during {:.1} % of it",
        whole.units,
        whole.seconds,
        whole.alone_seconds,
        share * 100.0,
        at_work * 100.0
    );
    let report = json!({
        "benchmark": "ingest", "seed": SEED, "rounds": ROUNDS, "parsing": parsed,
        "whole": {
            "documents": INGESTED, "units": whole.units, "seconds": whole.seconds,
            "embedding_alone_seconds": whole.alone_seconds, "embedding_share": share,
            "embedder_at_work_seconds": whole.embedding_seconds,
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
    let mut alone = Vec::with_capacity(ROUNDS);
    let mut together = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Clock::start();
        units = parse_all(&inputs)?;
        alone.push(megabytes / start.elapsed().as_secs_f64());
        let start = Instant::now();
        inputs
            .par_iter()
            .try_for_each(|input| parse(input).map(drop))?;
        together.push(megabytes / start.elapsed().as_secs_f64());
    }
    let [alone, together] = [alone, together].map(Sample::new);
    println!(
        "  {ending:<5} {:>6.1} ({:.1} to {:.1}) {:>6.1} ({:.1} to {:.1}); {megabytes:.1} MB, {units} units",
        alone.median(),
        alone.least(),
        alone.percentile(100.0),
        together.median(),
        together.least(),
        together.percentile(100.0),
    );
    Ok(json!({
        "format": ending, "megabytes": megabytes, "units": units,
        "megabytes_per_second": alone.median(),
        "least": alone.least(), "most": alone.percentile(100.0),
        "megabytes_per_second_on_all_cores": together.median(),
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
    inputs.iter().map(parse).sum()
}

/// How many units a source gives.
fn parse(input: &SourceInput) -> Result<usize> {
    let parsed = parse_source(input, &IngestConfig::default(), &Spaces)??;
    Ok(parsed.units.len())
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
