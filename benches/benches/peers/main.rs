//! Our vector index against hnswlib, usearch, faiss and sqlite-vec, on the same vectors.
//!
//! Two collections: 100,000 embeddings of real sentences, and 1,000,000 vectors drawn around them.
//! The 1,000 queries are embeddings of further sentences. Every index runs on one thread; rounds
//! alternate between all of them, and times are those of the processor, since other work may share
//! it. `cargo xtask bench peers real` or `drawn` takes one of the collections.

mod changes;
mod collection;
mod data;
mod filters;
mod others;
mod ours;
mod report;
mod texts;

use std::path::Path;

use anyhow::Result;
use benches::statistics::Sample;
use benches::{is_measuring, machine};
use collection::Collection;
use data::Data;
use others::{OTHERS, Others};
use ours::Ours;
use report::{Point, Report};
use serde_json::{Value, json};

const ROUNDS: usize = 3;
/// Neighbours asked for.
const K: usize = 10;

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let machine = machine::describe();
    let data = Data::prepared()?;
    let wanted = |name: &str| {
        let mut named = std::env::args()
            .skip(1)
            .filter(|word| !word.starts_with('-'))
            .peekable();
        named.peek().is_none() || named.any(|word| word == name)
    };
    let mut parts = Vec::new();
    if wanted("real") {
        parts.push(measure("real", &data.real(), &data)?);
    }
    if wanted("drawn") {
        parts.push(measure("drawn", &data.drawn()?, &data)?);
    }
    for part in &parts {
        part.print();
    }
    let report = json!({
        "benchmark": "peers",
        "vectors": data.origin()?,
        "instructions": ee_index::instructions(),
        "collections": parts.iter().map(Report::to_json).collect::<Vec<Value>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "machine": machine,
    });
    println!("{report}");
    report::draw(&data.folder, &report)
}

/// Everything about one collection.
fn measure(name: &'static str, vectors: &Path, data: &Data) -> Result<Report> {
    let folder = data.folder.join(name);
    std::fs::create_dir_all(&folder)?;
    let collection = Collection::read(vectors, &data.queries(), &folder)?;
    let ours = Ours::build(&collection, &folder)?;
    let changes = changes::measure(&ours, &collection)?;
    let filtered = match name {
        "real" => Some((
            filters::measure(&ours, &collection)?,
            changes::churn(&collection)?,
        )),
        _ => None,
    };
    let mut others = Others::start(vectors, &data.queries(), &folder)?;
    let points = alternate(&ours, &mut others, &collection)?;
    Ok(Report {
        name,
        vectors: collection.len(),
        points,
        changes,
        filtered,
        versions: others.versions().clone(),
    })
}

/// All indexes in all settings in turn, round by round.
fn alternate(ours: &Ours, others: &mut Others, collection: &Collection) -> Result<Vec<Point>> {
    let mut points = ours.points();
    let of_ours = points.len();
    for other in OTHERS
        .iter()
        .filter(|other| collection.len() <= other.most_vectors)
    {
        points.extend(others.build(other)?);
    }
    let mut seconds = vec![Vec::new(); points.len()];
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        for (number, (point, seconds)) in points.iter_mut().zip(&mut seconds).enumerate() {
            let (each, found) = if number < of_ours {
                ours.search(number, collection)?
            } else {
                others.search(point)?
            };
            seconds.push(each);
            point.recall = collection.recall(&found);
        }
    }
    for (point, seconds) in points.iter_mut().zip(seconds) {
        point.queries_per_second = 1.0 / Sample::new(seconds).median();
    }
    Ok(points)
}
