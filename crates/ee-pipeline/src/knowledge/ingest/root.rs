//! Registered folders: what source names are relative to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ee_ingest::SkipReason;
use ee_store::SourceCatalogue;
use km_core::{Administrator, SourceId};
use serde::{Deserialize, Serialize};

use super::{relative_name, unreadable};
use crate::PipelineError;
use crate::knowledge::KnowledgeBase;

/// A folder that was ingested, for one tenant; kept with each source as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Registration {
    /// The folder, absolute, links resolved.
    pub(super) folder: PathBuf,
    /// The tenant that it was ingested for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) tenant: Option<String>,
}

impl Registration {
    /// Reads what is kept with a source; nothing for what another program put there.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The file that a source of this registration was made from.
    pub(super) fn file(&self, source: &SourceId) -> PathBuf {
        self.folder.join(source.as_str())
    }

    fn text(&self) -> Result<String, PipelineError> {
        serde_json::to_string(self).map_err(|source| PipelineError::FolderName {
            folder: self.folder.clone(),
            source,
        })
    }
}

/// Paths that are not there, each with what the system said.
type Missing = Vec<(PathBuf, SkipReason)>;

/// A path to ingest and the registered folder it belongs to.
#[derive(Debug)]
pub(super) struct IngestRoot {
    /// Where to walk: a folder or a file, absolute.
    pub(super) start: PathBuf,
    /// Whether `start` is a folder.
    pub(super) is_folder: bool,
    /// The registered folder.
    pub(super) registration: Registration,
    /// The registration as it is kept.
    pub(super) text: String,
}

impl IngestRoot {
    /// The places of these paths, and the paths that are not there. A path below another one is
    /// left out, for that one's walk comes upon it.
    pub(super) fn find_all(
        base: &KnowledgeBase,
        paths: &[PathBuf],
        tenant: Option<&str>,
    ) -> Result<(Vec<Arc<Self>>, Missing), PipelineError> {
        let known = registered_folders(&*base.parts.store, tenant)?;
        let mut roots: Vec<Arc<Self>> = Vec::new();
        let mut missing = Missing::new();
        for path in paths {
            let start = match path.canonicalize() {
                Ok(start) => start,
                Err(error) => {
                    missing.push((path.clone(), unreadable(&error)));
                    continue;
                }
            };
            if !roots.iter().any(|other| start.starts_with(&other.start)) {
                roots.retain(|other| !other.start.starts_with(&start));
                roots.push(Arc::new(Self::at(start, &known, tenant)?));
            }
        }
        Ok((roots, missing))
    }

    /// The nearest registered folder at or above `start`, or else its own.
    pub(super) fn at(
        start: PathBuf,
        known: &[PathBuf],
        tenant: Option<&str>,
    ) -> Result<Self, PipelineError> {
        let is_folder = start.is_dir();
        let own = if is_folder {
            Some(start.as_path())
        } else {
            start.parent()
        };
        let own = own.unwrap_or(&start);
        let above = known.iter().filter(|folder| own.starts_with(folder));
        let nearest = above.max_by_key(|folder| folder.components().count());
        let folder = nearest.map_or(own, PathBuf::as_path).to_owned();
        let registration = Registration {
            folder,
            tenant: tenant.map(str::to_owned),
        };
        let text = registration.text()?;
        Ok(Self {
            start,
            is_folder,
            registration,
            text,
        })
    }

    /// The name of a file that a walk named relative to `start`.
    pub(super) fn name(&self, walked: &SourceId) -> SourceId {
        let above = if self.is_folder {
            Some(self.start.as_path())
        } else {
            self.start.parent()
        };
        match above.map(|above| relative_name(&self.registration.folder, above)) {
            Some(prefix) if !prefix.is_empty() => SourceId::new(format!("{prefix}/{walked}")),
            _ => walked.clone(),
        }
    }

    /// The name that a path would have as a source.
    pub(super) fn name_of(&self, path: &Path) -> SourceId {
        SourceId::new(relative_name(&self.registration.folder, path))
    }

    /// Whether a stored source came from somewhere below `start`.
    pub(super) fn holds(&self, registration: &Registration, source: &SourceId) -> bool {
        self.is_folder
            && registration.tenant == self.registration.tenant
            && registration.file(source).starts_with(&self.start)
    }
}

/// The folders that are registered for the tenant.
pub(super) fn registered_folders(
    store: &(impl SourceCatalogue + ?Sized),
    tenant: Option<&str>,
) -> Result<Vec<PathBuf>, PipelineError> {
    let stored = store.source_roots(Administrator::assume())?;
    let mut texts: Vec<String> = stored.into_iter().filter_map(|(_, root)| root).collect();
    texts.sort_unstable();
    texts.dedup();
    let known = texts.iter().filter_map(|text| Registration::read(text));
    Ok(known
        .filter(|known| known.tenant.as_deref() == tenant)
        .map(|known| known.folder)
        .collect())
}
