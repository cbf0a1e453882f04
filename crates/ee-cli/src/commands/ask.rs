//! `eerag ask`: one turn of the pipeline.

use anyhow::Result;
use clap::Args;
use ee_pipeline::{TurnRequest, TurnResult};
use ee_store::ConversationId;
use serde_json::{Value, json};

use super::search::print_stages;
use crate::arguments::{SessionFlags, conversation_name};
use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line, print_part, shortened, to_terminal};
use crate::workbench::Workbench;

/// Options of `eerag ask`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The question
    question: String,
    /// Ask within this conversation; a question stands alone without one
    #[arg(long, value_name = "NAME", value_parser = conversation_name)]
    conversation: Option<String>,
    #[command(flatten)]
    session: SessionFlags,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Runs the turn and prints it.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let engine = bench.engine(&options.session)?;
    let session = bench.session(&options.session)?;
    let request = TurnRequest {
        message: options.question.clone(),
        conversation: options.conversation.as_deref().map(ConversationId::new),
        scope: bench.scope(&options.identity),
    };
    let live = to_terminal() && !bench.json();
    let mut show = |text: &str| {
        if live {
            // A closed terminal ends the command at its next print.
            let _ = print_part(text);
        }
    };
    let turn = engine.run(&request, session.as_ref(), &mut show, bench.cancellation())?;
    if bench.json() {
        print_json(&as_json(&turn, session.name()))?;
    } else {
        if live {
            print_line("")?;
        } else {
            print_line(&turn.answer)?;
        }
        print_decisions(&turn)?;
    }
    Ok(Ending::nothing_if(turn.declined))
}

/// What was offered, elected, cited and spent, below the answer.
pub(crate) fn print_decisions(turn: &TurnResult) -> Result<()> {
    print_line("")?;
    print_line("offered:")?;
    for unit in &turn.offered {
        let mark = if turn.elected.iter().any(|elected| elected.rank == unit.rank) {
            '*'
        } else {
            ' '
        };
        let summary = shortened(&unit.summary, 90);
        print_line(format!(
            "{mark} [ID:{}] {:.2}  {}  {summary}",
            unit.rank, unit.relevance, unit.source
        ))?;
    }
    let elected: Vec<String> = turn
        .elected
        .iter()
        .map(|unit| format!("{} [RAG:{}]", unit.rank, unit.tag))
        .collect();
    print_line(format!("elected:   {}", listed(&elected)))?;
    let cited: Vec<String> = turn
        .citations
        .iter()
        .map(|(id, rank)| format!("[{id}] is {rank}"))
        .collect();
    print_line(format!("citations: {}", listed(&cited)))?;
    if !turn.refused.is_empty() {
        print_line(format!(
            "refused:   {} (not offered)",
            turn.refused.join(", ")
        ))?;
    }
    if !turn.unfit.is_empty() {
        print_line(format!(
            "left out:  {:?} (over the token budget)",
            turn.unfit
        ))?;
    }
    let spent: Vec<String> = turn
        .timings
        .iter()
        .map(|(stage, spent)| format!("{stage} {spent:.1} ms"))
        .collect();
    print_line(format!(
        "cost:      {} call(s), {} tokens of context, {} sent, {} received",
        turn.calls, turn.context_tokens, turn.usage.prompt, turn.usage.completion,
    ))?;
    print_line(format!("time:      {}", spent.join(", ")))?;
    print_stages(&turn.stages)
}

fn listed(items: &[String]) -> String {
    if items.is_empty() {
        "none".to_owned()
    } else {
        items.join(", ")
    }
}

fn as_json(turn: &TurnResult, session: &str) -> Value {
    let citations: Vec<Value> = turn
        .citations
        .iter()
        .map(|(id, rank)| json!({ "unit": id, "rank": rank }))
        .collect();
    let times: serde_json::Map<String, Value> = turn
        .timings
        .iter()
        .map(|(stage, spent)| ((*stage).to_owned(), json!(spent)))
        .collect();
    json!({
        "turn": turn.turn,
        "session": session,
        "answer": turn.answer,
        "declined": turn.declined,
        "offered": turn.offered,
        "elected": turn.elected,
        "refused": turn.refused,
        "unfit": turn.unfit,
        "citations": citations,
        "calls": turn.calls,
        "context_tokens": turn.context_tokens,
        "usage": turn.usage,
        "milliseconds": times,
        "stages": turn.stages,
    })
}
