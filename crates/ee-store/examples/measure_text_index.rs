//! Measures the text index: ranking quality on a folder in BEIR layout, and query time.
//!
//! `cargo run -p ee-store --features tantivy --example measure_text_index -- FOLDER RUN.trec [COPIES]`
//! indexes title and text of every document, writes a TREC run of the first 100 hits per query, and
//! prints the time of a query. With COPIES the collection is cut into pieces of 83 words and
//! repeated that often, to measure time alone.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ee_store::{Change, ChangeBatch, TantivyIndex, TextIndex};
use km_core::UnitId;
use serde::Deserialize;

/// Words per piece when time is measured.
const WORDS_PER_PIECE: usize = 83;

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, run, rest @ ..] = arguments.as_slice() else {
        return Err("usage: measure_text_index FOLDER RUN.trec [COPIES]".into());
    };
    let corpus = read(&Path::new(folder).join("corpus.jsonl"))?;
    let queries = read(&Path::new(folder).join("queries.jsonl"))?;
    let texts = match rest.first() {
        None => corpus.iter().map(whole).collect(),
        Some(copies) => pieces(&corpus, copies.parse()?),
    };
    let place = tempfile::tempdir()?;
    let index = TantivyIndex::open(place.path(), "measurement")?;
    let started = Instant::now();
    fill(&index, &texts)?;
    println!("{} texts indexed in {:.1?}", texts.len(), started.elapsed());
    let mut output = BufWriter::new(File::create(run)?);
    let mut times = Vec::new();
    for query in &queries {
        let started = Instant::now();
        let hits = index.search(&query.text, 100, &|_| true)?;
        times.push(started.elapsed());
        for (rank, hit) in hits.iter().enumerate() {
            let document = usize::try_from(hit.key)?;
            let id = corpus.get(document).map_or("piece", |found| &found.id);
            writeln!(
                output,
                "{} Q0 {id} {} {} bm25",
                query.id,
                rank + 1,
                hit.bm25
            )?;
        }
    }
    report(times);
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Document>, AnyError> {
    let lines = fs::read_to_string(path)?;
    Ok(lines
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?)
}

fn whole(document: &Document) -> String {
    format!("{}\n{}", document.title, document.text)
}

fn pieces(corpus: &[Document], copies: usize) -> Vec<String> {
    let words: Vec<&str> = corpus
        .iter()
        .flat_map(|found| found.text.split_whitespace())
        .collect();
    let pieces: Vec<String> = words
        .chunks(WORDS_PER_PIECE)
        .map(|piece| piece.join(" "))
        .collect();
    // The copy's number keeps the copies apart, as different documents are.
    (0..copies)
        .flat_map(|copy| {
            pieces
                .iter()
                .map(move |piece| format!("{piece} copy{copy}"))
        })
        .collect()
}

fn fill(index: &TantivyIndex, texts: &[String]) -> Result<(), AnyError> {
    let changes = (0..).zip(texts).map(|(key, text)| Change::Added {
        key,
        id: UnitId::from_bytes(u128::from(key).to_be_bytes()),
        text: text.clone(),
        embedding: Arc::new([]),
    });
    index.apply(&ChangeBatch {
        since: 0,
        changes: changes.collect(),
        reached: texts.len() as u64,
        more: false,
    })?;
    Ok(())
}

fn report(mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    println!(
        "{} queries: p50 {:.2?}, p99 {:.2?}",
        times.len(),
        at(50),
        at(99)
    );
}
