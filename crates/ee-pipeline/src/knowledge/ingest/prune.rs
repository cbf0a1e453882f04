//! Taking out what is no longer there.

use std::path::Path;

use ee_store::TenantSource;
use km_core::{Administrator, SourceId};

use super::root::{IngestRoot, Registration};
use super::run::Run;
use crate::PipelineError;
use crate::knowledge::KnowledgeBase;

impl Run<'_> {
    /// Removes sources below `root` whose file was not come upon.
    pub(super) fn prune(&mut self, root: &IngestRoot) -> Result<(), PipelineError> {
        if self.is_cancelled() || !root.is_folder {
            return Ok(());
        }
        let gone = held(self.base, root)?
            .into_iter()
            .filter(|(key, registration)| {
                !(*registration == root.registration && self.is_present(key))
            });
        let gone: Vec<TenantSource> = gone.map(|(key, _)| key).collect();
        let store = &self.base.parts.store;
        let units = store.drop_sources(Administrator::assume(), &gone)?;
        self.ledger.removed(&gone, units);
        Ok(())
    }

    fn is_present(&self, key: &TenantSource) -> bool {
        let name = Path::new(key.source.as_str());
        let unreadable = |place: &SourceId| name.starts_with(place.as_str());
        self.seen.sources.contains_key(key) || self.seen.unreadable.iter().any(unreadable)
    }
}

/// Refuses a folder without any file from which sources came.
pub(super) fn refuse_emptied(base: &KnowledgeBase, root: &IngestRoot) -> Result<(), PipelineError> {
    match held(base, root)?.len() {
        0 => Ok(()),
        sources => Err(PipelineError::FolderEmptied {
            folder: root.start.clone(),
            sources,
        }),
    }
}

/// The stored sources that came from somewhere below where the walk of `root` starts.
fn held(
    base: &KnowledgeBase,
    root: &IngestRoot,
) -> Result<Vec<(TenantSource, Registration)>, PipelineError> {
    let stored = base.parts.store.source_roots(Administrator::assume())?;
    let held = stored.into_iter().filter_map(|(key, text)| {
        let registration = Registration::read(text.as_deref()?)?;
        let holds = root.holds(&registration, &key.source);
        holds.then_some((key, registration))
    });
    Ok(held.collect())
}
