//! `eerag completions`: a completion script for a shell.

use std::io;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::output::Ending;

/// Options of `eerag completions`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The shell
    shell: Shell,
}

/// Prints the script.
#[expect(
    clippy::unnecessary_wraps,
    reason = "every command ends in the same way"
)]
pub(crate) fn run(options: &Options) -> Result<Ending> {
    clap_complete::generate(
        options.shell,
        &mut Arguments::command(),
        "eerag",
        &mut io::stdout(),
    );
    Ok(Ending::Done)
}
