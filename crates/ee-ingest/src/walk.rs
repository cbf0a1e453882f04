//! Finding the files to ingest.

use std::fs::FileType;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use km_core::SourceId;
use serde::{Deserialize, Serialize};

use crate::IngestConfig;
use crate::sidecar::SIDECAR;

/// Why a file was not ingested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// No byte, or nothing but white space.
    #[error("empty")]
    Empty,
    /// Not text in any supported format.
    #[error("binary, or a format without a parser")]
    Binary,
    /// Larger than the limit.
    #[error("{bytes} bytes, more than the limit of {limit} (ingest.max_file_bytes)")]
    TooLarge {
        /// Size of the file.
        bytes: u64,
        /// The limit in force.
        limit: u64,
    },
    /// Not a regular file: a named pipe, a socket, a device.
    #[error("not a regular file ({kind})")]
    Special {
        /// What it is.
        kind: String,
    },
    /// A link that leads nowhere.
    #[error("a link that leads nowhere")]
    DanglingLink,
    /// A link back to a folder above it.
    #[error("a link that leads back to a folder above it")]
    LinkLoop,
    /// The file could not be read.
    #[error("cannot be read: {message}")]
    Unreadable {
        /// What the system said.
        message: String,
    },
    /// The file's name relative to its folder is that of a source from another folder.
    #[error(
        "the name `{name}` belongs to a file of {folder}: ingest a folder above both, or rename one"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// The folder whose file has it.
        folder: PathBuf,
    },
    /// The file is encrypted and opens only with a password.
    #[error("a {format} that a password protects")]
    Protected {
        /// The format.
        format: String,
    },
    /// A packed file that unpacks to more than any document of its kind needs.
    #[error("a {format} that unpacks to more than {limit} bytes")]
    UnpacksTooLarge {
        /// The format.
        format: String,
        /// The most bytes it may unpack to.
        limit: u64,
    },
    /// Pages that hold pictures of text, or text that no encoding explains, and nothing else.
    #[error("a {format} without readable text: scanned pages need text recognition first")]
    NoText {
        /// The format.
        format: String,
    },
    /// The file's text is not valid in its format.
    #[error("not valid {format}: {message}")]
    Malformed {
        /// The format.
        format: String,
        /// Where and what is wrong.
        message: String,
    },
}

/// What a walk came upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A file to ingest.
    File {
        /// Where it is.
        path: PathBuf,
        /// Its source name: the path relative to the root, `/`-separated.
        source: SourceId,
    },
    /// Something that is left out, and why.
    Skipped {
        /// Where it is.
        path: PathBuf,
        /// Why it is left out.
        reason: SkipReason,
    },
}

/// Ignore files of this project's own, beside `.gitignore`.
const IGNORE_FILE: &str = ".eeragignore";
/// Links followed one after the other, as most systems do, before they count as a circle.
const MOST_LINKS: usize = 40;

/// Walks `root` (a folder or a file) lazily, in the order of file names. `.gitignore` (also
/// outside a git repository), `.ignore` and `.eeragignore` are respected, hidden files are left
/// out, links are followed, loops and links to nowhere are reported, and so are pipes, sockets and
/// devices, which are not opened. Sidecar files (`.eerag.yaml`) are no sources. Files over the limit are reported by their size alone.
///
/// A root that does not exist is reported as the one thing found.
pub fn walk(root: &Path, config: &IngestConfig) -> Box<dyn Iterator<Item = Found> + Send> {
    let limit = config.max_file_bytes;
    let base = root.to_owned();
    let entries = WalkBuilder::new(root)
        .follow_links(true)
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .sort_by_file_name(Ord::cmp)
        .build();
    Box::new(entries.filter_map(move |entry| match entry {
        Ok(entry) => found(&entry, &base, limit),
        Err(error) => Some(failed(&error, &base)),
    }))
}

fn found(entry: &DirEntry, root: &Path, limit: u64) -> Option<Found> {
    let path = entry.path().to_owned();
    let kind = entry.file_type()?;
    let is_sidecar = entry.file_name().to_string_lossy().ends_with(SIDECAR);
    if kind.is_dir() || is_sidecar {
        return None;
    }
    if let Some(kind) = special_kind(kind) {
        let reason = SkipReason::Special { kind };
        return Some(Found::Skipped { path, reason });
    }
    let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
    if bytes > limit {
        let reason = SkipReason::TooLarge { bytes, limit };
        return Some(Found::Skipped { path, reason });
    }
    let source = source_name(&path, root);
    Some(Found::File { path, source })
}

/// The path below the root with `/` between its parts; a file that is the root has its own name.
fn source_name(path: &Path, root: &Path) -> SourceId {
    let below = path.strip_prefix(root).unwrap_or(path);
    let below = if below.as_os_str().is_empty() {
        path.file_name().map_or(path, Path::new)
    } else {
        below
    };
    let parts = below
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    SourceId::new(parts.collect::<Vec<_>>().join("/"))
}

/// What a file is that is neither a regular file nor a folder.
pub(crate) fn special_kind(kind: FileType) -> Option<String> {
    if kind.is_file() || kind.is_dir() {
        return None;
    }
    Some(unix_kind(kind).unwrap_or("special file").to_owned())
}

#[cfg(unix)]
fn unix_kind(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let kinds = [
        (kind.is_fifo(), "named pipe"),
        (kind.is_socket(), "socket"),
        (kind.is_block_device(), "block device"),
        (kind.is_char_device(), "character device"),
    ];
    let kind = kinds.into_iter().find(|(holds, _)| *holds);
    kind.map(|(_, name)| name)
}

#[cfg(not(unix))]
fn unix_kind(_: FileType) -> Option<&'static str> {
    None
}

fn failed(error: &ignore::Error, root: &Path) -> Found {
    let path = path_of(error).unwrap_or(root).to_owned();
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink());
    let reason = if is_loop(error) || (is_link && circles(&path)) {
        SkipReason::LinkLoop
    } else if is_link && !path.exists() {
        SkipReason::DanglingLink
    } else {
        SkipReason::Unreadable {
            message: innermost(error),
        }
    };
    Found::Skipped { path, reason }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// A link back to a folder above it.
fn is_loop(error: &ignore::Error) -> bool {
    match error {
        ignore::Error::Loop { .. } => true,
        ignore::Error::WithPath { err, .. }
        | ignore::Error::WithDepth { err, .. }
        | ignore::Error::WithLineNumber { err, .. } => is_loop(err),
        _ => false,
    }
}

/// Whether a link leads to links that never end.
fn circles(link: &Path) -> bool {
    let mut at = link.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&at) {
            Ok(target) => at = at.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return false,
        }
    }
    true
}

fn innermost(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => {
            innermost(err)
        }
        other => other.to_string(),
    }
}
