//! One file per command: its options and what it does.

pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod conversations;
pub(crate) mod doctor;
pub(crate) mod eval;
mod explain;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod import;
pub(crate) mod ingest;
pub(crate) mod models;
pub(crate) mod reembed;
pub(crate) mod reindex;
pub(crate) mod remove;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tune;
mod watch;

use anyhow::Result;

use crate::arguments::{Arguments, Command};
use crate::database::Need;
use crate::output::{Ending, WrongUsage};
use crate::workbench::Workbench;

/// Layers the settings and runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<Ending> {
    match &arguments.command {
        Command::Completions(options) => return completions::run(options),
        Command::Config(options) if options.is_reference() => return config::print_reference(),
        _ => {}
    }
    let json = arguments.global.json;
    let bench = match (Workbench::new(arguments.global), &arguments.command) {
        (Ok(bench), _) => bench,
        (Err(error), Command::Doctor(_)) if !error.is::<WrongUsage>() => {
            return doctor::report_settings(error, json);
        }
        (Err(error), _) => return Err(error),
    };
    if let Some(need) = Need::of(&arguments.command) {
        need.check(&bench.settings().database()?)?;
    }
    match &arguments.command {
        Command::Ingest(options) => ingest::run(&bench, options),
        Command::Search(options) => search::run(&bench, options),
        Command::Ask(options) => ask::run(&bench, options),
        Command::Chat(options) => chat::run(&bench, options),
        Command::Audit(options) => audit::run(&bench, options),
        Command::Show(options) => show::run(&bench, options),
        Command::Remove(options) => remove::run(&bench, options),
        Command::Context(options) => context::run(&bench, options),
        Command::Conversations(options) => conversations::run(&bench, options),
        Command::Forget(options) => forget::run(&bench, options),
        Command::Eval(options) => eval::run(&bench, options),
        Command::Tune(options) => tune::run(&bench, options),
        Command::Export(options) => export::run(&bench, options),
        Command::Import(options) => import::run(&bench, options),
        Command::Models(options) => models::run(&bench, options),
        Command::Reembed(options) => reembed::run(&bench, options),
        Command::Reindex(options) => reindex::run(&bench, options),
        Command::Stats(options) => stats::run(&bench, options),
        Command::Doctor(options) => doctor::run(&bench, options),
        Command::Config(options) => config::run(&bench, options),
        Command::Completions(options) => completions::run(options),
    }
}
