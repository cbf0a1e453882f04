//! Sources on their way in, before they are parsed.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use ee_ingest::{SkipReason, SourceInput};
use km_core::{Governance, SourceId};

use super::root::IngestRoot;
use super::unreadable;

/// A source that waits to be read.
#[derive(Debug)]
pub(super) struct Item {
    /// Its name.
    pub(super) source: SourceId,
    /// The registration of the folder it was found under.
    pub(super) root: Option<String>,
    /// Where its bytes are.
    pub(super) content: Content,
}

/// Where the bytes of a source are.
#[derive(Debug)]
pub(super) enum Content {
    /// In a file.
    File(PathBuf),
    /// In memory, with governance of its own.
    Memory(Vec<u8>, Box<Governance>),
}

impl Item {
    /// A file that a walk of `root` found.
    pub(super) fn file(root: &IngestRoot, path: PathBuf, walked: &SourceId) -> Self {
        let (source, root) = (root.name(walked), Some(root.text.clone()));
        Self {
            source,
            root,
            content: Content::File(path),
        }
    }

    /// A source that was handed over.
    pub(super) fn memory(input: SourceInput) -> Self {
        let content = Content::Memory(input.bytes, Box::new(input.governance));
        Self {
            source: input.source,
            root: None,
            content,
        }
    }

    /// About how many bytes it has.
    pub(super) fn bytes(&self) -> u64 {
        match &self.content {
            Content::File(path) => path.metadata().map_or(0, |metadata| metadata.len()),
            Content::Memory(bytes, _) => bytes.len() as u64,
        }
    }

    /// What the report calls it.
    pub(super) fn path(&self) -> PathBuf {
        match &self.content {
            Content::File(path) => path.clone(),
            Content::Memory(..) => PathBuf::from(self.source.as_str()),
        }
    }

    /// Reads the bytes. A file that grew beyond the limit since it was found is left out.
    pub(super) fn read(
        self,
        limit: u64,
        governance: &Governance,
    ) -> Result<(SourceInput, Option<String>), SkipReason> {
        let (bytes, governance) = match self.content {
            Content::File(path) => (read_file(&path, limit)?, governance.clone()),
            Content::Memory(bytes, governance) => (bytes, *governance),
        };
        Ok((
            SourceInput {
                source: self.source,
                bytes,
                governance,
            },
            self.root,
        ))
    }
}

fn read_file(path: &std::path::Path, limit: u64) -> Result<Vec<u8>, SkipReason> {
    let refused = |error| unreadable(&error);
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(refused)?;
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(refused)?;
    match bytes.len() as u64 {
        bytes if bytes > limit => Err(SkipReason::TooLarge { bytes, limit }),
        _ => Ok(bytes),
    }
}
