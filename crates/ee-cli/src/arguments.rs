//! The command line, as `clap` reads it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::search::System;
use crate::commands::{
    ask, audit, chat, completions, config, context, conversations, doctor, eval, export, forget,
    import, ingest, models, reembed, reindex, remove, search, show, stats, tune,
};

/// The context engine: ingest documents, ask about them, see why the answer is what it is.
#[derive(Debug, Parser)]
#[command(
    name = "eerag",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(
    after_help = "Exit codes: 0 done; 1 failed; 2 wrong usage; 3 nothing found, nothing to do, \
or an answer declined."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global")]
pub(crate) struct GlobalFlags {
    /// Read this configuration file instead of the default ones
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Keep everything in this database
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Override a setting, for example `search.dense_weight=0.6`; may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Print one JSON document (JSON Lines where a command streams)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show neither progress nor warnings
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Log more; may be repeated
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Turn files and folders into knowledge
    Ingest(ingest::Options),
    /// Rank what is known by how well it fits a query
    Search(search::Options),
    /// Ask one question
    Ask(ask::Options),
    /// Hold a conversation that persists
    Chat(chat::Options),
    /// Lead a tag back to its unit, source and time, or show a turn's decisions
    Audit(audit::Options),
    /// Show a unit whole
    Show(show::Options),
    /// Remove a source
    Remove(remove::Options),
    /// Show the earlier messages that a message would be answered with, and why these
    Context(context::Options),
    /// List conversations
    Conversations(conversations::Options),
    /// Remove a conversation with its decisions and audit
    Forget(forget::Options),
    /// Measure quality, cost and time on labelled data
    Eval(eval::Options),
    /// Choose settings on evidence, and check what was chosen
    Tune(tune::Options),
    /// Write everything as JSON Lines
    Export(export::Options),
    /// Read what `export` wrote
    Import(import::Options),
    /// Fetch or list models
    Models(models::Options),
    /// Embed everything anew with the configured model
    Reembed(reembed::Options),
    /// Rebuild the indexes from the database
    Reindex(reindex::Options),
    /// Show what is stored
    Stats(stats::Options),
    /// Check models, library, database and indexes, and say what mends them
    Doctor(doctor::Options),
    /// Show the settings in force, or describe every setting
    Config(config::Options),
    /// Print a completion script for a shell
    Completions(completions::Options),
}

/// A conversation's name: any text but a blank one.
pub(crate) fn conversation_name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("expected a name, got nothing".to_owned());
    }
    Ok(text.to_owned())
}

/// Flags of commands that talk to a session.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionFlags {
    /// Who answers
    #[arg(long, value_enum)]
    pub(crate) session: Option<SessionKind>,
    /// The model to ask
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Distil elected text before it is injected
    #[arg(long)]
    pub(crate) silent: bool,
    /// Which ranking the notes come from; by default what the settings say
    #[arg(long, value_enum)]
    pub(crate) system: Option<System>,
}

/// Which session answers.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    ValueEnum,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SessionKind {
    /// No model: the best sentences of what was elected
    #[default]
    Extractive,
    /// An OpenAI-compatible server
    Openai,
    /// Anthropic's messages interface
    Anthropic,
}

/// Parses a count that must not be 0.
pub(crate) fn from_one_on(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a whole number from 1 on".to_owned())
}
