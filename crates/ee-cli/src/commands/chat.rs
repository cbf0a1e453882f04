//! `eerag chat`: a conversation that persists.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::Result;
use clap::Args;
use ee_pipeline::{ChatSession, Engine, TurnRequest, TurnResult};
use ee_store::ConversationId;
use serde_json::json;

use super::ask::print_decisions;
use crate::arguments::{SessionFlags, conversation_name};
use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json_line, print_line, print_part};
use crate::workbench::Workbench;

/// Options of `eerag chat`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The conversation to go on with, or to begin
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = conversation_name)]
    conversation: String,
    #[command(flatten)]
    session: SessionFlags,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Reads messages until the input ends or `/quit`.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let engine = bench.engine(&options.session)?;
    let session = bench.session(&options.session)?;
    let mut chat = Chat {
        bench,
        options,
        engine,
        session,
        last: None,
    };
    let person = io::stdin().is_terminal();
    if person {
        print_line(format!(
            "Conversation {:?} with {}. /why shows the last decision, /quit ends.",
            options.conversation,
            chat.session.name(),
        ))?;
    }
    chat.listen(io::stdin().lock())?;
    Ok(Ending::Done)
}

struct Chat<'a> {
    bench: &'a Workbench,
    options: &'a Options,
    engine: Engine,
    session: Box<dyn ChatSession>,
    last: Option<TurnResult>,
}

impl Chat<'_> {
    /// Handles line after line. What is not text costs its line and not the conversation.
    fn listen(&mut self, mut input: impl BufRead) -> Result<()> {
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            match std::str::from_utf8(&line) {
                Ok(text) => {
                    if !self.handle(text.trim_start_matches('\u{feff}').trim())? {
                        break;
                    }
                }
                Err(_) => writeln!(
                    io::stderr(),
                    "error: left out a line that is not UTF-8 text"
                )?,
            }
            line.clear();
        }
        Ok(())
    }

    /// Handles one line; `false` ends the chat.
    fn handle(&mut self, line: &str) -> Result<bool> {
        match line {
            "" => {}
            "/quit" | "/exit" => return Ok(false),
            "/why" => self.explain()?,
            command if command.starts_with('/') && !command.contains(char::is_whitespace) => {
                print_line(format!(
                    "unknown command {command}: there are /why and /quit"
                ))?;
            }
            message => self.say(message)?,
        }
        Ok(true)
    }

    fn say(&mut self, message: &str) -> Result<()> {
        let request = TurnRequest {
            message: message.to_owned(),
            conversation: Some(ConversationId::new(&self.options.conversation)),
            scope: self.bench.scope(&self.options.identity),
        };
        let live = !self.bench.json();
        let mut show = |text: &str| {
            if live {
                // A closed terminal ends the chat at its next print.
                let _ = print_part(text);
            }
        };
        let turn = self.engine.run(
            &request,
            self.session.as_ref(),
            &mut show,
            self.bench.cancellation(),
        );
        match turn {
            Ok(turn) => {
                self.show_end(&turn)?;
                self.last = Some(turn);
            }
            // One failed turn does not end a conversation.
            Err(error) => writeln!(io::stderr(), "error: {error}")?,
        }
        Ok(())
    }

    fn show_end(&self, turn: &TurnResult) -> Result<()> {
        if self.bench.json() {
            return print_json_line(&json!({
                "turn": turn.turn, "answer": turn.answer, "declined": turn.declined,
                "elected": turn.elected, "calls": turn.calls,
            }));
        }
        print_line("")
    }

    fn explain(&self) -> Result<()> {
        match &self.last {
            Some(turn) => print_decisions(turn),
            None => print_line("no decision yet: say something first"),
        }
    }
}
