//! Whether the database is where a command looks for it.

use std::path::Path;

use anyhow::{Result, bail};

use crate::arguments::Command;

/// What a command asks of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// It must be there.
    Existing,
    /// It is made where there is none.
    Made,
}

impl Need {
    /// What this command asks; `None` when it manages without, or looks by itself.
    pub(crate) fn of(command: &Command) -> Option<Self> {
        match command {
            Command::Ingest(_) | Command::Import(_) => Some(Self::Made),
            Command::Search(_)
            | Command::Ask(_)
            | Command::Chat(_)
            | Command::Audit(_)
            | Command::Show(_)
            | Command::Remove(_)
            | Command::Context(_)
            | Command::Conversations(_)
            | Command::Forget(_)
            | Command::Export(_)
            | Command::Reembed(_)
            | Command::Reindex(_)
            | Command::Stats(_) => Some(Self::Existing),
            Command::Eval(_)
            | Command::Tune(_)
            | Command::Models(_)
            | Command::Doctor(_)
            | Command::Config(_)
            | Command::Completions(_) => None,
        }
    }

    /// Says what is wrong with a path, before anything is opened or created there.
    ///
    /// # Errors
    /// For a folder, and for a path without a file where there must be one.
    pub(crate) fn check(self, path: &Path) -> Result<()> {
        if path.is_dir() {
            bail!(
                "{} is a folder, and the database is a file: name one, for example --db {}",
                path.display(),
                path.join("eerag.db").display()
            );
        }
        if self == Self::Existing && !path.exists() {
            bail!(
                "there is no database {}: `eerag ingest PATH` makes it, --db FILE names another",
                path.display()
            );
        }
        Ok(())
    }
}
