//! Registered folders: what source names are relative to.

use std::path::{Path, PathBuf};

use ee_ingest::SkipReason;
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
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn text(&self) -> Result<String, PipelineError> {
        serde_json::to_string(self).map_err(|source| PipelineError::FolderName {
            folder: self.folder.clone(),
            source,
        })
    }
}

/// A path to ingest and the registered folder it belongs to.
#[derive(Debug, Clone)]
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
    /// Finds the registered folder of a path. `Ok(Err(reason))` for a path that is not there.
    pub(super) fn find(
        base: &KnowledgeBase,
        path: &Path,
        tenant: Option<&str>,
    ) -> Result<Result<Self, SkipReason>, PipelineError> {
        let start = match path.canonicalize() {
            Ok(start) => start,
            Err(error) => return Ok(Err(unreadable(&error))),
        };
        let is_folder = start.is_dir();
        let own = if is_folder {
            Some(start.as_path())
        } else {
            start.parent()
        };
        let own = own.unwrap_or(&start).to_owned();
        let folder = registered_above(base, &own, tenant)?.unwrap_or(own);
        let registration = Registration {
            folder,
            tenant: tenant.map(str::to_owned),
        };
        let text = registration.text()?;
        Ok(Ok(Self {
            start,
            is_folder,
            registration,
            text,
        }))
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
    pub(super) fn name_of(&self, path: &Path) -> String {
        relative_name(&self.registration.folder, path)
    }

    /// Whether a stored source came from somewhere below `start`.
    pub(super) fn holds(&self, registration: &Registration, source: &SourceId) -> bool {
        self.is_folder
            && registration.tenant == self.registration.tenant
            && registration
                .folder
                .join(source.as_str())
                .starts_with(&self.start)
    }
}

/// The nearest folder at or above `folder` that is registered for the tenant.
fn registered_above(
    base: &KnowledgeBase,
    folder: &Path,
    tenant: Option<&str>,
) -> Result<Option<PathBuf>, PipelineError> {
    let roots = base.parts.store.source_roots(Administrator::assume())?;
    let registrations = roots
        .iter()
        .filter_map(|(_, root)| Registration::read(root.as_deref()?));
    Ok(registrations
        .filter(|known| known.tenant.as_deref() == tenant && folder.starts_with(&known.folder))
        .map(|known| known.folder)
        .max_by_key(|known| known.components().count()))
}
