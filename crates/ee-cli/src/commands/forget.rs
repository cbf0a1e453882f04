//! `eerag forget`: a conversation with its decisions and audit.

use anyhow::Result;
use clap::Args;
use ee_store::{ConversationId, ConversationStore};
use serde_json::json;

use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag forget`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The conversation's name
    conversation: String,
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Removes the conversation.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let scope = bench.scope(&options.identity);
    let name = ConversationId::new(&options.conversation);
    let forgotten = bench.store()?.forget(&scope.identity, &name)?;
    if bench.json() {
        print_json(&json!({ "conversation": options.conversation, "forgotten": forgotten }))?;
    } else if forgotten {
        print_line(format!("forgot {:?}", options.conversation))?;
    } else {
        print_line(format!(
            "no conversation {:?} of this identity",
            options.conversation
        ))?;
    }
    Ok(Ending::nothing_if(!forgotten))
}
