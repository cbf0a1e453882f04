//! `eerag eval`: quality, cost and time on labelled data.

pub(super) mod common;
pub(super) mod compare;
mod election;
mod fetch;
mod fitting;
mod init;
mod intents;
mod memory;
mod qa;
mod retrieval;
pub(super) mod scratch;
mod threads;

use anyhow::Result;
use clap::{Args, Subcommand};
use ee_tune::SuiteReport;

use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag eval`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Debug, Subcommand)]
enum Suite {
    /// Documents ranked for every question: nDCG, recall, reciprocal rank
    Retrieval(retrieval::Options),
    /// Which entries a session elects, what its answers hold, what they cost
    Election(election::Options),
    /// Turns of a long conversation ranked for every question about it
    Memory(memory::Options),
    /// Lines of work against labelled threads, and the messages selected from them
    Threads(threads::Options),
    /// Utterances classified by a classifier that learns from labelled ones
    Intents(intents::Options),
    /// Questions answered, judged by accepted, possible and rejected answers
    Qa(qa::Options),
    /// Runs over the same data side by side: differences with intervals and p-values
    Compare(compare::Options),
    /// Fetch a public dataset, its licence shown and its checksum verified
    Fetch(fetch::Options),
    /// Draft questions about what the database holds, to be edited into a labelled set
    Init(init::Options),
}

/// Runs a suite and prints its report, or does what leads to one or follows it.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let report = match &options.suite {
        Suite::Retrieval(options) => retrieval::run(bench, options),
        Suite::Election(options) => election::run(bench, options),
        Suite::Memory(options) => memory::run(bench, options),
        Suite::Threads(options) => threads::run(bench, options),
        Suite::Intents(options) => intents::run(bench, options),
        Suite::Qa(options) => qa::run(bench, options),
        Suite::Compare(options) => return compare::run(bench, options),
        Suite::Fetch(options) => return fetch::run(bench, options),
        Suite::Init(options) => return init::run(bench, options),
    }?;
    if bench.json() {
        print_json(&report)?;
    } else {
        print_report(&report)?;
    }
    Ok(Ending::Done)
}

fn print_report(report: &SuiteReport) -> Result<()> {
    let (suite, data, system) = (report.suite, &report.data, &report.system);
    print_line(format!(
        "{suite} on {data}, {system}, {} questions, {:.1} s",
        report.n, report.seconds
    ))?;
    for (name, value) in &report.metrics {
        let interval = report.intervals.get(name.as_str());
        let interval = interval.map(|[low, high]| format!("  95% {low:.4} to {high:.4}"));
        let value = value.as_f64().unwrap_or_default();
        print_line(format!(
            "{name:<18} {value:>9.4}{}",
            interval.unwrap_or_default()
        ))?;
    }
    for (group, metrics) in &report.groups {
        let metrics = metrics.as_object().into_iter().flatten();
        let shown: Vec<String> = metrics
            .filter(|(name, _)| name.ends_with("@10") || *name == "n")
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        print_line(format!("{group:<18} {}", shown.join("  ")))?;
    }
    print_costs(report)?;
    print_stages(report)?;
    print_comparisons(report)?;
    print_minimum(report)
}

fn print_costs(report: &SuiteReport) -> Result<()> {
    if report.costs.is_empty() {
        return Ok(());
    }
    let costs = report.costs.iter();
    let costs: Vec<String> = costs
        .map(|(name, spent)| format!("{name} {spent}"))
        .collect();
    print_line(format!("mean cost:         {}", costs.join(", ")))
}

fn print_stages(report: &SuiteReport) -> Result<()> {
    if report.stage_milliseconds.is_empty() {
        return Ok(());
    }
    let stages = report.stage_milliseconds.iter();
    let stages: Vec<String> = stages
        .map(|(name, spent)| format!("{name} {spent}"))
        .collect();
    print_line(format!("mean ms by stage:  {}", stages.join(", ")))
}

fn print_comparisons(report: &SuiteReport) -> Result<()> {
    for one in &report.compared {
        let ([low, high], other) = (one.interval, one.other);
        let (against, metric, difference, p) = (one.against, one.metric, one.difference, one.p);
        print_line(format!(
            "{metric:<18} {difference:>+9.4}  95% {low:+.4} to {high:+.4}, p {p:.4}, against \
             {against} {other:.4}",
        ))?;
    }
    Ok(())
}

fn print_minimum(report: &SuiteReport) -> Result<()> {
    for one in &report.minimum {
        let fixed = one
            .fixed_units
            .map_or("none".to_owned(), |fixed| fixed.to_string());
        print_line(format!(
            "minimum context, epsilon {}: misses {:.3} (limit {:.3}), {:.1} units on average; the \
             smallest fixed number that misses as rarely: {fixed}; feasible for {:.3}",
            one.epsilon, one.miss_rate, one.miss_limit, one.mean_units, one.feasible
        ))?;
    }
    Ok(())
}
