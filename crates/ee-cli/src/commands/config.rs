//! `eerag config`: the settings in force, and what every setting means.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use crate::output::{Ending, print_json, print_part};
use crate::reference::reference_page;
use crate::workbench::Workbench;

/// Options of `eerag config`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The settings in force, as a configuration file
    Show,
    /// Every setting with its default and meaning, as Markdown
    Reference,
}

impl Options {
    /// Whether the reference is wanted, which no setting changes and a broken one must not hide.
    pub(crate) fn is_reference(&self) -> bool {
        matches!(self.what, What::Reference)
    }
}

/// Prints the reference.
pub(crate) fn print_reference() -> Result<Ending> {
    print_part(&reference_page()?)?;
    Ok(Ending::Done)
}

/// Prints one or the other.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    match options.what {
        What::Show if bench.json() => print_json(bench.settings())?,
        What::Show => {
            let text = toml::to_string_pretty(bench.settings());
            print_part(&text.context("cannot write the settings as TOML")?)?;
        }
        What::Reference => return print_reference(),
    }
    Ok(Ending::Done)
}
