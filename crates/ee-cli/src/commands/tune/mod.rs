//! `eerag tune`: settings chosen on evidence.

mod check;
mod files;
mod parameters;
mod precise;
mod search;
mod subject;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::output::Ending;
use crate::workbench::Workbench;

/// Options of `eerag tune`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Search settings of candidates and fusion: documents ranked for questions
    Retrieval(search::Options),
    /// Search settings of the search among turns: turns ranked for questions about conversations
    Memory(search::Options),
    /// Search settings of lines of work and of the selection of earlier messages
    Threads(search::Options),
    /// Calibrate the precision pipeline: the blend, and how small a context may be for ε
    Precise(precise::Options),
    /// Compare a tuned file with the settings in force on any data, and fail where it is worse
    Check(check::Options),
    /// List every setting that can be tuned: default, range, unit, scale
    Parameters,
}

/// Searches, checks or lists.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    use subject::Suite;
    match &options.action {
        Action::Retrieval(options) => search::run(bench, Suite::Retrieval, options),
        Action::Memory(options) => search::run(bench, Suite::Memory, options),
        Action::Threads(options) => search::run(bench, Suite::Threads, options),
        Action::Precise(options) => precise::run(bench, options),
        Action::Check(options) => check::run(bench, options),
        Action::Parameters => parameters::run(bench),
    }
}
