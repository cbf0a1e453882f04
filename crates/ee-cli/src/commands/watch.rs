//! Following folders: waits until something in them has changed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use ee_pipeline::Cancellation;
use notify_debouncer_mini::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_mini::{DebounceEventResult, Debouncer, new_debouncer};

/// How long a folder has to be quiet before its changes are taken up.
const QUIET: Duration = Duration::from_millis(500);

/// How often an interrupt is looked for.
const PATIENCE: Duration = Duration::from_millis(200);

/// Watches files and folders from the moment it is made.
pub(crate) struct Watch {
    events: Receiver<DebounceEventResult>,
    paths: Vec<PathBuf>,
    /// The database: its files may lie in a watched folder, and change with every round.
    database: PathBuf,
    _debouncer: Debouncer<RecommendedWatcher>,
}

impl Watch {
    /// Starts to watch `paths`; changes of the files that belong to `database` do not count.
    pub(crate) fn start(paths: &[PathBuf], database: &Path) -> Result<Self> {
        let (sender, events) = channel();
        let mut debouncer = new_debouncer(QUIET, sender).context("cannot watch files here")?;
        let paths: Vec<PathBuf> = paths
            .iter()
            .map(std::path::absolute)
            .collect::<std::io::Result<_>>()?;
        for path in &paths {
            let (folder, mode) = watched(path);
            let watcher = debouncer.watcher();
            watcher.watch(folder, mode).with_context(|| {
                let advice = "a system limit on watched files may have to be raised";
                format!("cannot watch {}: {advice}", folder.display())
            })?;
        }
        Ok(Self {
            events,
            paths,
            database: std::path::absolute(database)?,
            _debouncer: debouncer,
        })
    }

    /// Waits for a change. `false` when the person has had enough.
    pub(crate) fn changed(&self, cancellation: &Cancellation) -> Result<bool> {
        while !cancellation.is_cancelled() {
            match self.events.recv_timeout(PATIENCE) {
                Ok(Ok(events)) if events.iter().any(|event| self.concerns(&event.path)) => {
                    return Ok(true);
                }
                Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Err(error)) => return Err(error).context("cannot watch any longer"),
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
        Ok(false)
    }

    fn concerns(&self, changed: &Path) -> bool {
        self.paths.iter().any(|path| changed.starts_with(path)) && !self.is_database(changed)
    }

    /// The database and what lies beside it under the same name: its log, its indexes.
    fn is_database(&self, changed: &Path) -> bool {
        let Some(stem) = self.database.file_stem() else {
            return false;
        };
        self.database.parent().is_some_and(|folder| {
            let inside = changed.strip_prefix(folder).ok();
            let first = inside.and_then(|inside| inside.iter().next());
            first.is_some_and(|first| {
                let (first, stem) = (first.to_string_lossy(), stem.to_string_lossy());
                first.starts_with(&*stem)
            })
        })
    }
}

/// A folder with all in it; of a file its folder, for programs save by replacing a file.
fn watched(path: &Path) -> (&Path, RecursiveMode) {
    if path.is_dir() {
        (path, RecursiveMode::Recursive)
    } else {
        (path.parent().unwrap_or(path), RecursiveMode::NonRecursive)
    }
}
