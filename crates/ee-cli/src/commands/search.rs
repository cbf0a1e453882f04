//! `eerag search`: ranked units.

use anyhow::Result;
use clap::{Args, ValueEnum};
use ee_pipeline::{SearchHit, SearchRequest, SearchResponse, SearchSystem, StageTrace};
use serde_json::{Value, json};

use crate::arguments::from_one_on;
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
          value_parser = from_one_on)]
    k: usize,
    /// Which ranking
    #[arg(long, value_enum, default_value_t = System::Hybrid)]
    system: System,
    #[command(flatten)]
    identity: IdentityFlags,
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
    /// Both, followed over links, resolved for the caller, read by the cross-encoder
    Precise,
}

impl From<System> for SearchSystem {
    fn from(system: System) -> Self {
        match system {
            System::Bm25 => Self::Bm25,
            System::Dense => Self::Dense,
            System::Hybrid => Self::Hybrid,
            System::Precise => Self::Precise,
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
        SearchSystem::from(self).scale()
    }
}

/// Searches and prints.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let knowledge = bench.knowledge_for(options.system.into())?;
    let response = knowledge.search(&SearchRequest {
        query: options.query.clone(),
        k: options.k,
        system: options.system.into(),
        scope: bench.scope(&options.identity),
    })?;
    if bench.json() {
        print_json(&as_json(&response, options.system))?;
    } else {
        print_hits(&response, options.system)?;
        print_stages(&response.stages)?;
    }
    Ok(Ending::nothing_if(response.hits.is_empty()))
}

fn print_hits(response: &SearchResponse, system: System) -> Result<()> {
    let hits = &response.hits;
    if hits.is_empty() {
        return print_line("nothing found");
    }
    print_line(format!(
        "score ({}), unit, kind, source, summary",
        system.scale()
    ))?;
    for (place, hit) in hits.iter().enumerate() {
        if response
            .context
            .is_some_and(|context| context.units == place)
        {
            print_line("         -- what follows is not in the context --")?;
        }
        let unit = &hit.unit.unit;
        let id = unit.id.to_string();
        let id = id.get(..8).unwrap_or(&id);
        print_line(format!(
            "{:7.3}  {id}  {:<10}  {}",
            hit.score,
            unit.kind,
            location(hit)
        ))?;
        print_line(format!("         {}", shortened(&unit.summary, 160)))?;
    }
    Ok(())
}

fn location(hit: &SearchHit) -> String {
    let unit = &hit.unit.unit;
    let mut location = unit.source.to_string();
    if !unit.metadata.section_path.is_empty() {
        location.push_str(" > ");
        location.push_str(&unit.metadata.section_path.join(" > "));
    }
    location
}

/// What the stages of the precision pipeline did, below the hits.
pub(crate) fn print_stages(stages: &[StageTrace]) -> Result<()> {
    if !stages.is_empty() {
        print_line("")?;
    }
    for stage in stages {
        let (name, entered, left) = (stage.stage, stage.entered, stage.left);
        let notes = shortened(&stage.notes.join("; "), 120);
        let spent = stage.milliseconds;
        print_line(format!(
            "{name:<16}{entered:>4} to {left:<4} {spent:8.1} ms  {notes}"
        ))?;
    }
    Ok(())
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
        "stages": response.stages,
        "context": response.context,
    })
}

fn hit_json(hit: &SearchHit, system: System) -> Value {
    json!({
        "score": hit.score,
        "scale": system.scale(),
        "cosine": hit.cosine,
        "bm25": hit.bm25,
        "logit": hit.evidence.and_then(|evidence| evidence.logit),
        "origin": hit.origin,
        "unit": hit.unit.unit.id,
        "kind": hit.unit.unit.kind,
        "source": hit.unit.unit.source,
        "section_path": hit.unit.unit.metadata.section_path,
        "summary": hit.unit.unit.summary,
    })
}
