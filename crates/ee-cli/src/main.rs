//! `eerag`: the context engine at a terminal.
//!
//! This program parses arguments, layers settings, calls the libraries and prints. Everything it
//! decides beyond that is decided in a library.

mod arguments;
mod blame;
mod commands;
mod database;
mod identity;
mod layers;
mod logging;
mod output;
mod progress;
mod reference;
mod settings;
mod workbench;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::output::{Ending, WrongUsage};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    logging::start(arguments.global.verbose, arguments.global.quiet);
    match commands::run(arguments) {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Nothing) => ExitCode::from(3),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", output::with_causes(&error));
            if error.is::<WrongUsage>() {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
