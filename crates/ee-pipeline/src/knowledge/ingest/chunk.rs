//! Sources on their way in, before they are parsed.

use std::path::PathBuf;
use std::sync::Arc;

use ee_ingest::{IngestConfig, SkipReason, SourceInput, read_source};
use km_core::{Governance, SourceId};

use super::root::IngestRoot;

/// A source that waits to be read.
#[derive(Debug)]
pub(super) struct Item {
    /// What it is called, and where it comes from.
    pub(super) origin: Origin,
    /// Where its bytes are.
    content: Content,
}

/// What a source is called and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    /// Its name.
    pub(super) source: SourceId,
    /// The place it was found under; absent for a source in memory.
    pub(super) root: Option<Arc<IngestRoot>>,
    /// What the report calls it.
    pub(super) path: PathBuf,
}

#[derive(Debug)]
enum Content {
    File,
    /// The walk left it out.
    Skipped(SkipReason),
    /// It is in memory, with governance of its own.
    Memory(Box<SourceInput>),
}

impl Origin {
    /// The registration as it is kept with the source.
    pub(super) fn root_text(&self) -> Option<&str> {
        self.root.as_ref().map(|root| root.text.as_str())
    }
}

impl Item {
    /// A file that a walk of `root` found.
    pub(super) fn file(root: &Arc<IngestRoot>, path: PathBuf, walked: &SourceId) -> Self {
        let source = root.name(walked);
        let origin = Origin {
            source,
            root: Some(Arc::clone(root)),
            path,
        };
        Self {
            origin,
            content: Content::File,
        }
    }

    /// A path that a walk of `root` left out.
    pub(super) fn skipped(root: &Arc<IngestRoot>, path: PathBuf, reason: SkipReason) -> Self {
        let origin = Origin {
            source: root.name_of(&path),
            root: Some(Arc::clone(root)),
            path,
        };
        Self {
            origin,
            content: Content::Skipped(reason),
        }
    }

    /// A source that was handed over.
    pub(super) fn memory(input: SourceInput) -> Self {
        let path = PathBuf::from(input.source.as_str());
        let origin = Origin {
            source: input.source.clone(),
            root: None,
            path,
        };
        Self {
            origin,
            content: Content::Memory(Box::new(input)),
        }
    }

    /// About how many bytes it has.
    pub(super) fn bytes(&self) -> u64 {
        match &self.content {
            Content::File => self
                .origin
                .path
                .metadata()
                .map_or(0, |metadata| metadata.len()),
            Content::Skipped(_) => 0,
            Content::Memory(input) => input.bytes.len() as u64,
        }
    }

    /// Reads the bytes.
    pub(super) fn read(
        self,
        config: &IngestConfig,
        governance: &Governance,
    ) -> Result<SourceInput, SkipReason> {
        let Origin { source, path, .. } = self.origin;
        match self.content {
            Content::File => read_source(&path, source, governance.clone(), config),
            Content::Skipped(reason) => Err(reason),
            Content::Memory(input) => Ok(*input),
        }
    }
}
