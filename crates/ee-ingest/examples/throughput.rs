//! How fast Markdown becomes units, without embedding: `cargo run --release -p ee-ingest --example
//! throughput`.
//!
//! The text is made up: sections of paragraphs, lists and tables with words drawn from a fixed
//! sequence. Tokens are counted by words, so that the time is that of this crate alone.

use std::fmt::Write;
use std::time::Instant;

use ee_ingest::{IngestConfig, Relations, SourceInput, TokenCounter, parse_source};
use km_core::{Governance, SourceId};

const SECTIONS: usize = 4_000;
const ROUNDS: usize = 5;
const WORDS: [&str; 24] = [
    "pump",
    "tank",
    "water",
    "stops",
    "starts",
    "when",
    "the",
    "is",
    "empty",
    "half",
    "full",
    "valve",
    "gauge",
    "operators",
    "must",
    "wear",
    "gloves",
    "limit",
    "region",
    "travel",
    "portal",
    "request",
    "approval",
    "receipt",
];

/// Counts spaces.
struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        text.bytes().filter(|byte| *byte == b' ').count() + 3
    }

    fn max_tokens(&self) -> usize {
        256
    }
}

/// Draws words by a linear congruential generator (Numerical Recipes, 1992).
struct Draw(u32);

impl Draw {
    fn number(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % below
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count)
            .map(|_| {
                WORDS
                    .get(self.number(WORDS.len()))
                    .copied()
                    .unwrap_or("pump")
            })
            .collect();
        words.join(" ")
    }
}

fn text() -> Result<String, std::fmt::Error> {
    let mut draw = Draw(7);
    let mut text = String::from("# Handbook\n");
    for section in 0..SECTIONS {
        writeln!(text, "\n## {} {section}", draw.words(3))?;
        for _ in 0..4 {
            let sentences: Vec<String> = (0..5).map(|_| format!("{}.", draw.words(12))).collect();
            writeln!(text, "\n{}", sentences.join(" "))?;
        }
        text.push('\n');
        for item in 1..6 {
            writeln!(text, "{item}. {}", draw.words(9))?;
        }
        text.push_str("\n| Name | Value |\n|---|---|\n");
        for _ in 0..6 {
            writeln!(text, "| {} | {} |", draw.words(2), draw.words(1))?;
        }
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bytes = text()?.into_bytes();
    let megabytes = bytes.len() as f64 / 1e6;
    let input = SourceInput {
        source: SourceId::new("handbook.md"),
        bytes,
        governance: Governance::default(),
        relations: Relations::default(),
    };
    let mut best = f64::INFINITY;
    for round in 0..ROUNDS {
        let start = Instant::now();
        let parsed = parse_source(&input, &IngestConfig::default(), &Words)??;
        let seconds = start.elapsed().as_secs_f64();
        best = best.min(seconds);
        println!(
            "round {round}: {megabytes:.1} MB, {} units, {seconds:.3} s, {:.1} MB/s",
            parsed.units.len(),
            megabytes / seconds
        );
    }
    println!("best: {:.1} MB/s", megabytes / best);
    Ok(())
}
