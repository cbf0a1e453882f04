//! `eerag context`: the earlier messages that a message would be answered with, and why these.

use anyhow::Result;
use clap::Args;
use dcs_core::{ContinuityDecision, DcnId, Decision, Reason, Route, SelectionDecision, Signal};
use ee_pipeline::{ContextMessage, ContextReport, TurnRequest};
use ee_store::{ConversationId, Role};

use crate::arguments::{SessionFlags, conversation_name, from_one_on};
use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line, shortened};
use crate::workbench::Workbench;

/// Options of `eerag context`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The message that context is wanted for; it is not said
    #[arg(required_unless_present = "log")]
    message: Option<String>,
    /// The conversation
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = conversation_name)]
    conversation: String,
    /// Also show what spoke for each message, and the decision as it is logged
    #[arg(long)]
    explain: bool,
    /// Show the frame as a model is given it
    #[arg(long, conflicts_with = "explain")]
    frame: bool,
    /// Show the latest decisions of the conversation instead
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20",
          value_parser = from_one_on, conflicts_with_all = ["message", "explain", "frame"])]
    log: Option<usize>,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Selects, or shows what was decided.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let engine = bench.engine(&SessionFlags::default())?;
    let scope = bench.scope(&options.identity);
    let conversation = ConversationId::new(&options.conversation);
    let Some(message) = &options.message else {
        let limit = options.log.unwrap_or_default();
        let decisions = engine.decisions(&scope.identity, &conversation, limit)?;
        return show_log(bench, &decisions);
    };
    let report = engine.context(&TurnRequest {
        message: message.clone(),
        conversation: Some(conversation),
        scope,
    })?;
    if bench.json() {
        print_json(&report)?;
    } else if options.frame {
        print_line(report.frame.trim_end())?;
    } else {
        print_report(&report, options.explain)?;
    }
    Ok(Ending::nothing_if(report.messages.is_empty()))
}

fn print_report(report: &ContextReport, explain: bool) -> Result<()> {
    let Some(decision) = &report.decision else {
        return print_line("the conversation has no messages");
    };
    if report.is_full() {
        print_line(format!(
            "all {} messages: everything fits the budget",
            decision.selected
        ))?;
    } else {
        print_line(format!(
            "{} messages selected: {} candidates, {} of them eligible",
            decision.selected, decision.candidates, decision.eligible
        ))?;
    }
    let lines = report.lines_of_work.iter();
    let lines: Vec<String> = lines.map(|(dcn, p)| format!("{dcn} ({p:.2})")).collect();
    print_line(format!("lines of work: {}", lines.join(", ")))?;
    for message in &report.messages {
        print_message(message, explain)?;
    }
    if explain {
        print_line("")?;
        print_selection(decision)?;
    }
    Ok(())
}

fn print_message(message: &ContextMessage, explain: bool) -> Result<()> {
    let speaker = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    print_line(format!(
        "{:>5}  {:.2}  {speaker:<9}  {}",
        message.position,
        message.score,
        shortened(&message.text, 90)
    ))?;
    if explain {
        for reason in &message.reasons {
            print_line(format!("                         {}", reason_text(reason)))?;
        }
    }
    Ok(())
}

fn reason_text(reason: &Reason) -> String {
    match reason {
        Reason::EverythingFits => "everything fits".to_owned(),
        Reason::LineOfWork { dcn, score } => {
            format!("line of work {dcn}, which the message continues with {score:.2}")
        }
        Reason::Key { similarity } => format!("similar intents and domains: {similarity:.2}"),
        Reason::Embedding { cosine } => format!("close in meaning: cosine {cosine:.2}"),
        Reason::SoftLink { other, weight } => format!("influence {weight:.2} from or to {other}"),
        Reason::Found { fit } => format!("found by search, fits {fit:.2}"),
        Reason::Recency { weight } => format!("recency {weight:.2}"),
    }
}

fn show_log(bench: &Workbench, decisions: &[Decision]) -> Result<Ending> {
    if bench.json() {
        print_json(&decisions)?;
    } else if decisions.is_empty() {
        print_line("no decisions about this conversation")?;
    } else {
        for decision in decisions {
            print_decision(decision)?;
        }
    }
    Ok(Ending::nothing_if(decisions.is_empty()))
}

fn print_decision(decision: &Decision) -> Result<()> {
    match decision {
        Decision::Continuity(one) => print_continuity(one),
        Decision::Selection(one) => print_selection(one),
        Decision::Merge(one) => print_line(format!(
            "{}  line of work {} went into {}",
            one.at, one.absorbed, one.kept
        )),
    }
}

fn print_continuity(decision: &ContinuityDecision) -> Result<()> {
    let dcns = joined(&decision.dcns);
    let (at, message) = (decision.at, decision.message);
    print_line(match decision.route {
        Route::Matched => format!("{at}  message {message} continues line of work {dcns}"),
        Route::Created => format!("{at}  message {message} begins line of work {dcns}"),
        Route::Given => format!("{at}  message {message} was given line of work {dcns}"),
        Route::Inherited => format!("{at}  message {message} inherits line of work {dcns}"),
        Route::Unlinked => format!("{at}  message {message} belongs to no line of work"),
    })?;
    print_line(format!("    new line of work  {:.3}", decision.new_line))?;
    for candidate in &decision.candidates {
        let signals: Vec<String> = candidate.signals.iter().map(signal_text).collect();
        let (dcn, score) = (candidate.dcn, candidate.score);
        print_line(format!(
            "    line of work {dcn:<4} {score:.3}  {}",
            signals.join(", ")
        ))?;
    }
    Ok(())
}

fn signal_text(signal: &Signal) -> String {
    format!(
        "{} {:.2} × {:+.2}",
        signal.name, signal.value, signal.weight
    )
}

fn print_selection(decision: &SelectionDecision) -> Result<()> {
    print_line(format!(
        "{}  {} of {} candidates selected ({} eligible), lines of work {}",
        decision.at,
        decision.selected,
        decision.candidates,
        decision.eligible,
        joined(&decision.dcns)
    ))?;
    let scores = decision.top_scores.iter();
    let scores: Vec<String> = scores
        .map(|(id, score)| format!("{id} {score:.2}"))
        .collect();
    let limits = &decision.thresholds;
    print_line(format!(
        "    best: {}; eligibility {}, at most {} messages, {} of one line, {} tokens",
        scores.join(", "),
        limits.eligibility,
        limits.max_messages,
        limits.max_per_dcn,
        limits.max_tokens
    ))
}

fn joined(dcns: &[DcnId]) -> String {
    let names: Vec<String> = dcns.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
