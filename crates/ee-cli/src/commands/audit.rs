//! `eerag audit`: from a tag to unit, source and time; what was offered and what was elected.

use anyhow::Result;
use clap::Args;
use ee_store::{AuditStore, Outcome, TurnRecord};

use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line, shortened};
use crate::workbench::Workbench;

/// Options of `eerag audit`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A tag as it stands in an answer, with or without its brackets
    #[arg(required_unless_present = "last", conflicts_with = "last", value_parser = bare_tag)]
    tag: Option<String>,
    /// Show the latest turn
    #[arg(long)]
    last: bool,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Looks the turns up and prints them.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let scope = bench.scope(&options.identity);
    let store = bench.store()?;
    let turns = match &options.tag {
        Some(tag) => store.turns_by_tag(&scope, tag)?,
        None => store.latest_turns(&scope, 1)?,
    };
    if bench.json() {
        print_json(&turns)?;
    } else {
        print_turns(&turns, options.tag.as_deref())?;
    }
    Ok(Ending::nothing_if(turns.is_empty()))
}

/// The digits of a tag, with or without its brackets.
fn bare_tag(text: &str) -> Result<String, String> {
    let text = text.trim();
    let inner = text
        .strip_prefix("[RAG:")
        .and_then(|rest| rest.strip_suffix(']'));
    let tag = inner.unwrap_or(text);
    if (8..=64).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(tag.to_owned());
    }
    Err("expected a tag such as [RAG:a3f9b2c1] (8 to 64 hexadecimal digits)".to_owned())
}

fn print_turns(turns: &[TurnRecord], tag: Option<&str>) -> Result<()> {
    if turns.is_empty() {
        let what = tag.map_or_else(
            || "no turn yet".to_owned(),
            |tag| format!("no turn elected {tag}"),
        );
        return print_line(what);
    }
    turns.iter().try_for_each(print_turn)
}

fn print_turn(turn: &TurnRecord) -> Result<()> {
    let conversation = turn.conversation.as_ref().map_or("none", |id| id.as_str());
    print_line(format!(
        "turn {} at {}, conversation {conversation}",
        turn.turn, turn.at
    ))?;
    print_line(format!("question: {}", turn.question))?;
    print_line("offered:")?;
    for unit in &turn.offered {
        print_line(format!(
            "  [ID:{}] {:.2}  unit {}  source {}",
            unit.rank, unit.relevance, unit.unit, unit.source,
        ))?;
        print_line(format!("         {}", shortened(&unit.summary, 140)))?;
    }
    print_outcome(turn)
}

fn print_outcome(turn: &TurnRecord) -> Result<()> {
    let when = turn
        .completed_at
        .map_or_else(String::new, |at| format!(" at {at}"));
    match &turn.outcome {
        None => print_line("outcome:  none recorded: the turn was cut off after its first phase"),
        Some(Outcome::Failed { message }) => {
            print_line(format!("outcome:  failed{when}: {message}"))
        }
        Some(Outcome::Answered {
            elected,
            refused,
            unfit,
            false_citations,
            calls,
            ..
        }) => {
            print_line(format!("outcome:  answered{when} in {calls} call(s)"))?;
            for unit in elected {
                print_line(format!(
                    "  elected [ID:{}]  unit {}  [RAG:{}]",
                    unit.rank, unit.unit, unit.tag
                ))?;
            }
            print_list("refused", refused)?;
            let unfit: Vec<String> = unfit.iter().map(ToString::to_string).collect();
            print_list("over the budget", &unfit)?;
            print_list("false citations", false_citations)
        }
    }
}

fn print_list(name: &str, items: &[String]) -> Result<()> {
    if items.is_empty() {
        Ok(())
    } else {
        print_line(format!("  {name}: {}", items.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::bare_tag;

    #[test]
    fn tags_are_read_with_and_without_brackets() {
        assert_eq!(bare_tag("[RAG:a3f9b2c1]").unwrap(), "a3f9b2c1");
        assert_eq!(bare_tag(" A3F9B2C1 ").unwrap(), "A3F9B2C1");
        assert!(bare_tag("[RAG:a3f9]").is_err());
        assert!(bare_tag("nonsense!").is_err());
    }
}
