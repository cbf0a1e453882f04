//! `eerag conversations`: what was talked about, and when.

use anyhow::Result;
use clap::Args;
use ee_store::ConversationStore;

use crate::identity::IdentityFlags;
use crate::output::{Ending, print_json, print_line};
use crate::workbench::Workbench;

/// Options of `eerag conversations`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    identity: IdentityFlags,
}

/// Lists the identity's conversations, most recent first.
pub(crate) fn run(bench: &Workbench, options: &Options) -> Result<Ending> {
    let scope = bench.scope(&options.identity);
    let conversations = bench.store()?.conversations(&scope.identity)?;
    if bench.json() {
        print_json(&conversations)?;
    } else if conversations.is_empty() {
        print_line("no conversations")?;
    } else {
        for one in &conversations {
            let name = one.conversation.as_str();
            print_line(format!(
                "{name}  {} messages, last {}",
                one.messages, one.last
            ))?;
        }
    }
    Ok(Ending::nothing_if(conversations.is_empty()))
}
