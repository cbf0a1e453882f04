//! How results reach a person or a program: text, JSON, endings and errors.

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result};
use serde::Serialize;

/// How a command ended, short of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It did what it was asked to.
    Done,
    /// Nothing found, nothing to do, or an answer declined.
    Nothing,
}

impl Ending {
    /// `Nothing` when there is none of what was asked for.
    pub(crate) fn nothing_if(nothing: bool) -> Self {
        if nothing { Self::Nothing } else { Self::Done }
    }
}

/// What was typed is wrong: the program ends with 2.
#[derive(Debug)]
pub(crate) struct WrongUsage(String);

impl WrongUsage {
    /// Blames an error on what was typed.
    pub(crate) fn blame(error: &anyhow::Error) -> anyhow::Error {
        anyhow::Error::new(Self(with_causes(error)))
    }
}

impl std::fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// Prints one JSON document.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Prints one line of a JSON Lines stream.
pub(crate) fn print_json_line(value: &impl Serialize) -> Result<()> {
    let line = serde_json::to_string(value).context("cannot write the result as JSON")?;
    print_line(line)
}

/// Prints a line; unlike `println!` a closed pipe is an error, not a panic.
pub(crate) fn print_line(line: impl AsRef<str>) -> Result<()> {
    writeln!(io::stdout().lock(), "{}", line.as_ref())?;
    Ok(())
}

/// Prints text without a line end, at once.
pub(crate) fn print_part(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Whether a person is looking at standard output.
pub(crate) fn to_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether an error is only that the reader of our output went away.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// An error with its causes, each said once.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// Text cut to `width` characters for a table, an ellipsis in place of the rest.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width {
        return line;
    }
    let mut cut: String = line.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::{shortened, with_causes};

    #[test]
    fn a_cause_that_the_message_repeats_is_said_once() {
        let error = anyhow!("disk full").context("cannot save: disk full");
        assert_eq!(with_causes(&error), "cannot save: disk full");
        let error = anyhow!("disk full").context("cannot save");
        assert_eq!(with_causes(&error), "cannot save: disk full");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shortened("知识 地图\n好", 4), "知识 …");
        assert_eq!(shortened("short", 10), "short");
    }
}
