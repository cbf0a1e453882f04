//! `eerag models`: fetching and listing models.

use anyhow::Result;
use clap::{Args, Subcommand};
use ee_embed::{Fetcher, HubAccess, Models, registry};
use serde_json::{Value, json};

use crate::output::{Ending, print_json, print_line};
use crate::progress::FetchBar;
use crate::workbench::Workbench;

/// Options of `eerag models`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Bring models and the ONNX Runtime library to this machine
    Fetch {
        /// Which model; without one the configured embedder and cross-encoder. May be repeated
        #[arg(long)]
        model: Vec<String>,
    },
    /// List the known models and which of them are here
    List,
}

/// Fetches or lists.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let models = bench.settings().models()?;
    match &options.what {
        What::Fetch { model } => fetch(bench, &models, model),
        What::List => list(bench, &models),
    }
}

fn fetch(bench: &Workbench, models: &Models, names: &[String]) -> Result<Ending> {
    let settings = bench.settings();
    let configured = [
        settings.embed.model.clone(),
        settings.embed.reranker.clone(),
    ];
    let configured = configured.into_iter().filter(|name| !name.is_empty());
    let names = if names.is_empty() {
        configured.collect()
    } else {
        names.to_vec()
    };
    let bar = FetchBar::new(bench.hides_progress());
    let mut fetcher = Fetcher::new(models, HubAccess::from_environment(), &bar);
    fetcher.asset(&registry::RUNTIME)?;
    names.iter().try_for_each(|name| fetcher.model(name))?;
    bar.finish();
    if bench.json() {
        print_json(&json!({ "folder": models.folder(), "models": names }))?;
    } else {
        print_line(format!(
            "{} in {}",
            names.join(", "),
            models.folder().display()
        ))?;
    }
    Ok(Ending::Done)
}

fn list(bench: &Workbench, models: &Models) -> Result<Ending> {
    let embedders = registry::EMBEDDERS.iter().map(|spec| {
        let here = models.embedder(spec.name).is_ok();
        row(spec.name, "embedder", here, spec.licence)
    });
    let rerankers = registry::RERANKERS.iter().map(|spec| {
        let here = models.reranker(spec.name).is_ok();
        row(spec.name, "cross-encoder", here, spec.licence)
    });
    let runtime = &registry::RUNTIME;
    let library = row(
        runtime.name,
        "library",
        models.asset(runtime).is_ok(),
        runtime.licence,
    );
    let rows: Vec<Value> = embedders.chain(rerankers).chain([library]).collect();
    if bench.json() {
        print_json(&rows)?;
        return Ok(Ending::Done);
    }
    for row in &rows {
        let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let (name, role, state) = (field("name"), field("role"), field("state"));
        print_line(format!(
            "{name:<26} {role:<14} {state:<8} {}",
            field("licence")
        ))?;
    }
    Ok(Ending::Done)
}

fn row(name: &str, role: &str, here: bool, licence: &str) -> Value {
    let state = if here { "here" } else { "missing" };
    json!({ "name": name, "role": role, "state": state, "licence": licence })
}
