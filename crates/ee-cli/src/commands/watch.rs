//! Following folders: waits until something in them has changed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use ee_pipeline::Cancellation;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher, recommended_watcher};

/// How long a folder has to be quiet before its changes are taken up.
const QUIET: Duration = Duration::from_millis(500);

/// How often an interrupt is looked for.
const PATIENCE: Duration = Duration::from_millis(200);

/// Watches files and folders from the moment it is made.
pub(crate) struct Watch {
    events: Receiver<notify::Result<Event>>,
    paths: Vec<PathBuf>,
    /// The database: its files may lie in a watched folder, and change with every round.
    database: PathBuf,
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Starts to watch `paths`; changes of the files that belong to `database` do not count.
    pub(crate) fn start(paths: &[PathBuf], database: &Path) -> Result<Self> {
        let (sender, events) = channel();
        let mut watcher = recommended_watcher(sender).context("cannot watch files here")?;
        let paths: Vec<PathBuf> = paths
            .iter()
            .map(std::path::absolute)
            .collect::<std::io::Result<_>>()?;
        for path in &paths {
            let (folder, mode) = watched(path);
            watcher.watch(folder, mode).with_context(|| {
                let advice = "a system limit on watched files may have to be raised";
                format!("cannot watch {}: {advice}", folder.display())
            })?;
        }
        Ok(Self {
            events,
            paths,
            database: std::path::absolute(database)?,
            _watcher: watcher,
        })
    }

    /// Waits for a change, and then until none has come for a while. `false` when the person has
    /// had enough.
    pub(crate) fn changed(&self, cancellation: &Cancellation) -> Result<bool> {
        let mut seen = false;
        while !cancellation.is_cancelled() {
            match self
                .events
                .recv_timeout(if seen { QUIET } else { PATIENCE })
            {
                Ok(Ok(event)) => seen |= self.concerns(&event),
                Ok(Err(error)) => return Err(error).context("cannot watch any longer"),
                Err(RecvTimeoutError::Timeout) if seen => return Ok(true),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Whether something was changed, and not only read: ingesting reads every file.
    fn concerns(&self, event: &Event) -> bool {
        let watched = |changed: &PathBuf| {
            let inside = self.paths.iter().any(|path| changed.starts_with(path));
            inside && !self.is_database(changed)
        };
        !event.kind.is_access() && event.paths.iter().any(watched)
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
