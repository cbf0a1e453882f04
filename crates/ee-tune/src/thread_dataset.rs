//! Messages with the thread that each belongs to.
//!
//! JSON Lines of rows `{file, idx, time, user?, text, thread?, kind?, annotated?}`: chat logs as
//! Kummerfeld et al. (ACL 2019) label them, and conversations with an assistant in the same shape.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use km_core::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::TuneError;
use crate::clock::DayClock;
use crate::rows::{folder_name, json_lines, row_error};

/// Labelled messages, checked: every annotated one has a thread and all have a time.
#[derive(Debug, Clone)]
pub struct ThreadDataset {
    /// The file's name.
    pub name: String,
    /// The messages of each file, in order; each file is a conversation of its own.
    pub files: BTreeMap<String, Vec<ThreadMessage>>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadMessage {
    /// Its number in the file.
    pub idx: u64,
    /// Who said it; empty when unknown.
    pub speaker: String,
    /// What was said.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// Its thread, where it is labelled.
    pub thread: Option<String>,
    /// Whether it counts: the others are context.
    pub annotated: bool,
    /// Whether the system wrote it, for example that somebody joined.
    pub system: bool,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    file: String,
    idx: u64,
    #[serde(default)]
    time: Option<String>,
    #[serde(default)]
    user: Option<String>,
    text: String,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default = "counts")]
    annotated: bool,
    #[serde(default)]
    thread: Value,
}

fn counts() -> bool {
    true
}

impl ThreadDataset {
    /// Loads and checks a file, or the only `.jsonl` file of a folder.
    ///
    /// # Errors
    /// [`TuneError::Read`] for a missing file, [`TuneError::Row`] with the row for bad content.
    pub fn load(path: &Path) -> Result<Self, TuneError> {
        let name = folder_name(path);
        let file = only_file(path)?;
        let path = file.as_path();
        let mut files: BTreeMap<String, Vec<ThreadMessage>> = BTreeMap::new();
        let mut clocks: BTreeMap<String, DayClock> = BTreeMap::new();
        for (number, row) in json_lines::<Row>(path)? {
            let messages = files.entry(row.file.clone()).or_default();
            let clock = clocks
                .entry(row.file.clone())
                .or_insert_with(|| DayClock::on(&row.file));
            let before = messages.last().map(|message| message.at);
            let at = match (&row.time, before) {
                (Some(time), _) => clock.read(time),
                (None, before) => Some(before.unwrap_or(Timestamp::UNIX_EPOCH)),
            };
            let at = at.ok_or_else(|| {
                let found = row.time.as_deref().unwrap_or_default();
                row_error(path, number, "a `time`: RFC 3339 or HH:MM", found)
            })?;
            let message = row.into_message(at);
            if message.annotated && message.thread.is_none() {
                return Err(row_error(path, number, "a `thread`", "none"));
            }
            messages.push(message);
        }
        Ok(Self { name, files })
    }
}

/// The file itself, or the one in the folder.
fn only_file(path: &Path) -> Result<PathBuf, TuneError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let failed = |source| TuneError::Read {
        path: path.to_owned(),
        source,
    };
    let entries = path.read_dir().map_err(failed)?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files = paths.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file),
        _ => Err(failed(std::io::Error::other(
            "expected one .jsonl file in the folder: name the file",
        ))),
    }
}

impl Row {
    fn into_message(self, at: Timestamp) -> ThreadMessage {
        let thread = match self.thread {
            Value::Null => None,
            Value::String(name) => Some(name),
            other => Some(other.to_string()),
        };
        ThreadMessage {
            idx: self.idx,
            speaker: self.user.unwrap_or_default(),
            text: self.text,
            at,
            thread,
            annotated: self.annotated,
            system: self.kind.as_deref() == Some("system"),
        }
    }
}
