//! `eerag search`: ranked units.

use anyhow::Result;
use clap::{Args, ValueEnum};
use ee_pipeline::{SearchHit, SearchRequest, SearchResponse, SearchSystem};
use serde_json::{Value, json};

use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line, shortened};
use crate::workbench::Workbench;

/// Options of `eerag search`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What to look for, as plain text
    query: String,
    /// How many units
    #[arg(short, long = "limit", value_name = "N", default_value_t = 10,
          value_parser = at_least_one)]
    k: usize,
    /// Which ranking
    #[arg(long, value_enum, default_value_t = System::Hybrid)]
    system: System,
    #[command(flatten)]
    identity: IdentityFlags,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// The rankings by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum System {
    /// Full text alone
    Bm25,
    /// Embeddings alone
    Dense,
    /// Both, fused
    Hybrid,
}

impl From<System> for SearchSystem {
    fn from(system: System) -> Self {
        match system {
            System::Bm25 => Self::Bm25,
            System::Dense => Self::Dense,
            System::Hybrid => Self::Hybrid,
        }
    }
}

impl System {
    /// Its name on the command line and in reports.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// The scale of the score that ranks.
    pub(crate) fn scale(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::Dense => "cosine",
            Self::Hybrid => "fused 0-1",
        }
    }
}

/// Searches and prints.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let response = bench.knowledge()?.search(&SearchRequest {
        query: options.query.clone(),
        k: options.k,
        system: options.system.into(),
        scope: bench.scope(&options.identity),
    })?;
    if bench.json() {
        print_json(&as_json(&response, options.system))?;
    } else {
        print_hits(&response.hits, options.system)?;
    }
    Ok(Ending::nothing_if(response.hits.is_empty()))
}

fn print_hits(hits: &[SearchHit], system: System) -> Result<()> {
    if hits.is_empty() {
        return print_line("nothing found");
    }
    print_line(format!(
        "score ({}), unit, kind, source, summary",
        system.scale()
    ))?;
    for hit in hits {
        let unit = &hit.unit.unit;
        let id = unit.id.to_string();
        let id = id.get(..8).unwrap_or(&id);
        print_line(format!(
            "{:7.3}  {id}  {:<10}  {}",
            hit.score,
            unit.kind,
            place(hit)
        ))?;
        print_line(format!("         {}", shortened(&unit.summary, 160)))?;
    }
    Ok(())
}

fn place(hit: &SearchHit) -> String {
    let unit = &hit.unit.unit;
    let mut place = unit.source.to_string();
    if !unit.metadata.section_path.is_empty() {
        place.push_str(" > ");
        place.push_str(&unit.metadata.section_path.join(" > "));
    }
    place
}

fn as_json(response: &SearchResponse, system: System) -> Value {
    let hits: Vec<Value> = response
        .hits
        .iter()
        .map(|hit| hit_json(hit, system))
        .collect();
    json!({
        "hits": hits,
        "embed_milliseconds": response.embed_milliseconds,
        "search_milliseconds": response.search_milliseconds,
    })
}

fn hit_json(hit: &SearchHit, system: System) -> Value {
    json!({
        "score": hit.score,
        "scale": system.scale(),
        "cosine": hit.cosine,
        "bm25": hit.bm25,
        "unit": hit.unit.unit.id,
        "kind": hit.unit.unit.kind,
        "source": hit.unit.unit.source,
        "section_path": hit.unit.unit.metadata.section_path,
        "summary": hit.unit.unit.summary,
    })
}
