//! What of a reply is shown and kept: decided while it arrives, so that the text a client sees
//! grow is the text that persists.

mod brackets;
mod commands;
mod gate;
mod thinking;
mod trim;

pub(crate) use gate::{Answer, Gate, GateOutcome};

use crate::turn::citation::Citable;
use brackets::BracketFilter;
use commands::CommandFilter;
use trim::TrimFilter;

/// Takes false citations, forged tags and commands out of an answer as it arrives.
pub(crate) struct ReplyFilter {
    brackets: BracketFilter,
    commands: CommandFilter,
    trim: TrimFilter,
}

impl ReplyFilter {
    pub(crate) fn new(citable: Vec<Citable>) -> Self {
        Self {
            brackets: BracketFilter::new(citable),
            commands: CommandFilter::default(),
            trim: TrimFilter::default(),
        }
    }

    /// Takes the next piece and returns what may be shown now. Commands go last, since one may
    /// come to stand at the beginning of a line only when a bracket before it has gone.
    fn push(&mut self, text: &str) -> String {
        let text = self.brackets.push(text);
        let text = self.commands.push(&text);
        self.trim.push(&text)
    }

    /// The reply is at its end: returns the rest.
    fn finish(&mut self) -> String {
        let rest = self.brackets.finish();
        let mut text = self.commands.push(&rest);
        text.push_str(&self.commands.finish());
        self.trim.push(&text)
    }
}
