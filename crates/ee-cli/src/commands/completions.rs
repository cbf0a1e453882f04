//! `eerag completions`: a completion script for a shell.

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::output::{Ending, print_part};

/// Options of `eerag completions`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(options: &Options) -> Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut Arguments::command(),
        "eerag",
        &mut script,
    );
    print_part(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Done)
}
