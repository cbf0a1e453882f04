//! The precision pipeline among 100,000 units: milliseconds of every stage, the speed of the
//! cross-encoder on one core and on all, and whether a budget in milliseconds is kept.
//!
//! The store is the one of the benchmark `search`, with links between neighbours.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use benches::corpus::Corpus;
use benches::prepared::Prepared;
use benches::statistics::Sample;
use benches::{SEED, is_measuring, machine, models};
use ee_embed::Reranker;
use ee_pipeline::{
    KnowledgeBase, PipelineConfig, PreciseConfig, SearchConfig, SearchRequest, SearchResponse,
    SearchSystem,
};
use km_core::{AccessScope, Identity, Timestamp};
use serde_json::{Value, json};

const UNITS: usize = 100_000;
const QUERIES: usize = 300;
const WARM_UP: usize = 50;
/// Queries that the cross-encoder takes part in.
const READ_QUERIES: usize = 20;
const PAIRS: usize = 60;
const BUDGET_MILLISECONDS: u64 = 300;

fn main() -> Result<()> {
    if !is_measuring() {
        return Ok(());
    }
    let machine = machine::describe();
    let corpus = Corpus::load()?;
    let embedder = Arc::new(models::default_embedder()?);
    let prepared = Prepared::of(UNITS, &corpus, &(embedder.clone() as _))?;
    let store = Arc::new(prepared.open()?);
    let queries = corpus.queries(WARM_UP + QUERIES, SEED);
    let (measured, warm_up) = queries.split_at(QUERIES);
    let plain = PipelineConfig::default().search;
    let base = prepared.knowledge(&store, embedder.clone(), None, plain)?;
    searches(&base, warm_up)?;
    let responses = searches(&base, measured)?;
    drop(base);
    let stages = stages(&responses);
    let all = Sample::new(responses.iter().map(|one| one.search_milliseconds));
    let speed = [pairs_per_second(&corpus, 1)?, pairs_per_second(&corpus, 0)?];
    let reranker: Arc<dyn Reranker> = Arc::new(models::reranker(0)?);
    let base = prepared.knowledge(&store, embedder, Some(reranker), bounded())?;
    let few = measured.get(..READ_QUERIES).unwrap_or(measured);
    let within = rerank_times(&searches(&base, few)?);
    print_table(&stages, &all, speed, &within);
    println!("{}", report(&stages, &all, speed, &within, &machine));
    Ok(())
}

/// The default settings under a budget for the cross-encoder.
fn bounded() -> SearchConfig {
    SearchConfig {
        precise: PreciseConfig {
            rerank_milliseconds: BUDGET_MILLISECONDS,
            ..PreciseConfig::default()
        },
        ..PipelineConfig::default().search
    }
}

fn searches(base: &KnowledgeBase, queries: &[String]) -> Result<Vec<SearchResponse>> {
    queries.iter().map(|query| search(base, query)).collect()
}

fn search(base: &KnowledgeBase, query: &str) -> Result<SearchResponse> {
    Ok(base.search(&SearchRequest {
        query: query.to_owned(),
        k: 10,
        system: SearchSystem::Precise,
        scope: AccessScope::new(Identity::default(), Timestamp::now()),
    })?)
}

/// Milliseconds by stage, in the order of the stages.
fn stages(responses: &[SearchResponse]) -> Vec<(&'static str, Sample)> {
    let names = responses.first().map(|response| response.stages.iter());
    let names = names.into_iter().flatten().map(|stage| stage.stage);
    names
        .enumerate()
        .map(|(place, name)| {
            let stage = responses
                .iter()
                .filter_map(|response| response.stages.get(place));
            (name, Sample::new(stage.map(|stage| stage.milliseconds)))
        })
        .collect()
}

fn rerank_times(responses: &[SearchResponse]) -> Sample {
    let stages = responses.iter().flat_map(|response| &response.stages);
    let rerank = stages.filter(|stage| stage.stage == "rerank");
    Sample::new(rerank.map(|stage| stage.milliseconds))
}

/// Pairs of a question and a unit that so many sessions score in a second.
fn pairs_per_second(corpus: &Corpus, sessions: usize) -> Result<f64> {
    let reranker = models::reranker(sessions)?;
    let units: Vec<_> = corpus.units(PAIRS, SEED).collect();
    let texts: Vec<&str> = units.iter().map(|unit| unit.content.as_str()).collect();
    let query = corpus.queries(1, SEED).concat();
    reranker.score(&query, &texts)?;
    let start = Instant::now();
    reranker.score(&query, &texts)?;
    Ok(PAIRS as f64 / start.elapsed().as_secs_f64())
}

fn print_table(
    stages: &[(&'static str, Sample)],
    all: &Sample,
    [one, every]: [f64; 2],
    within: &Sample,
) {
    println!("{UNITS} units, {QUERIES} queries, no cross-encoder; milliseconds");
    println!("{:>16} {:>8} {:>8}", "stage", "p50", "p99");
    let rows = stages.iter().map(|(name, sample)| (*name, sample));
    for (name, sample) in rows.chain([("all but models", all)]) {
        let (median, tail) = (sample.median(), sample.percentile(99.0));
        println!("{name:>16} {median:>8.2} {tail:>8.2}");
    }
    let ratio = every / one;
    println!("cross-encoder: {one:.1} pairs/s on one core, {every:.1} on all, {ratio:.2} times");
    let (median, most) = (within.median(), within.percentile(100.0));
    println!(
        "with a budget of {BUDGET_MILLISECONDS} ms it took {median:.0} ms in the middle, {most:.0} \
         at most"
    );
}

fn report(
    stages: &[(&'static str, Sample)],
    all: &Sample,
    [one, every]: [f64; 2],
    within: &Sample,
    machine: &Value,
) -> Value {
    let shown = |sample: &Sample| json!({"p50": sample.median(), "p99": sample.percentile(99.0)});
    let by_stage = stages.iter().map(|(name, sample)| (*name, shown(sample)));
    json!({
        "benchmark": "precise",
        "units": UNITS,
        "queries": QUERIES,
        "milliseconds_without_models": shown(all),
        "milliseconds_by_stage": by_stage.collect::<BTreeMap<&str, Value>>(),
        "pairs_per_second": {"one_core": one, "all_cores": every},
        "budget_milliseconds": BUDGET_MILLISECONDS,
        "rerank_milliseconds": shown(within),
        "seed": SEED,
        "version": env!("CARGO_PKG_VERSION"),
        "machine": machine,
    })
}
