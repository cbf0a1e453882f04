//! Taking out what is no longer there.

use std::path::Path;

use ee_ingest::SkipReason;
use ee_store::{SourceState, TenantSource};
use km_core::{Administrator, SourceId};

use super::root::{IngestRoot, Registration};
use super::run::Run;
use crate::PipelineError;

impl Run<'_> {
    /// Notes what a walk left out.
    pub(super) fn walk_skipped(
        &mut self,
        root: &IngestRoot,
        path: &Path,
        reason: &SkipReason,
    ) -> Result<(), PipelineError> {
        let name = root.name_of(path);
        self.skip(path, reason.clone());
        self.count(&name);
        let states = self.states(std::slice::from_ref(&name))?;
        let own = states
            .iter()
            .filter(|state| state.root.as_ref() == Some(&root.text));
        self.leave_out(&name, reason, &own.collect::<Vec<_>>())
    }

    /// A source that is left out loses what was stored of it, unless it merely cannot be read now.
    pub(super) fn leave_out(
        &mut self,
        source: &SourceId,
        reason: &SkipReason,
        stored: &[&SourceState],
    ) -> Result<(), PipelineError> {
        if matches!(reason, SkipReason::Unreadable { .. }) {
            self.unreadable.push(source.clone());
            return Ok(());
        }
        self.drop_sources(&stored.iter().map(|state| key(state)).collect::<Vec<_>>())
    }

    /// A source that now states another tenant leaves the one it had.
    pub(super) fn drop_other_tenants(
        &mut self,
        tenant: Option<&str>,
        stored: &[&SourceState],
    ) -> Result<(), PipelineError> {
        let others = stored
            .iter()
            .filter(|state| state.governance.tenant.as_deref() != tenant);
        // A source that was handed over in memory may well be there once for each tenant.
        let others = others.filter(|state| state.root.is_some());
        self.drop_sources(&others.map(|state| key(state)).collect::<Vec<_>>())
    }

    /// Removes sources below `root` whose file was not come upon.
    pub(super) fn prune(&mut self, root: &IngestRoot) -> Result<(), PipelineError> {
        if self.is_cancelled() || !root.is_folder {
            return Ok(());
        }
        let gone = self.held(root)?.into_iter().filter(|(key, registration)| {
            !(*registration == root.registration && self.is_present(key))
        });
        let gone: Vec<TenantSource> = gone.map(|(key, _)| key).collect();
        self.drop_sources(&gone)
    }

    /// Refuses a folder without any file from which sources came.
    pub(super) fn refuse_emptied(&self, root: &IngestRoot) -> Result<(), PipelineError> {
        match self.held(root)?.len() {
            0 => Ok(()),
            sources => Err(PipelineError::FolderEmptied {
                folder: root.start.clone(),
                sources,
            }),
        }
    }

    /// The stored sources that came from somewhere below where the walk of `root` starts.
    fn held(&self, root: &IngestRoot) -> Result<Vec<(TenantSource, Registration)>, PipelineError> {
        let store = &self.base.parts.store;
        let stored = store.source_roots(Administrator::assume())?;
        let held = stored.into_iter().filter_map(|(key, text)| {
            let registration = Registration::read(text.as_deref()?)?;
            let holds = root.holds(&registration, &key.source);
            holds.then_some((key, registration))
        });
        Ok(held.collect())
    }

    fn is_present(&self, key: &TenantSource) -> bool {
        let name = Path::new(key.source.as_str());
        let unreadable = |place: &SourceId| name.starts_with(place.as_str());
        self.seen.contains_key(key) || self.unreadable.iter().any(unreadable)
    }

    fn drop_sources(&mut self, sources: &[TenantSource]) -> Result<(), PipelineError> {
        if sources.is_empty() {
            return Ok(());
        }
        let units = self
            .base
            .parts
            .store
            .drop_sources(Administrator::assume(), sources)?;
        self.touched
            .extend(sources.iter().map(|key| key.source.clone()));
        self.report.removed += sources.len();
        self.report.units_removed += units;
        self.changed(units)
    }
}

fn key(state: &SourceState) -> TenantSource {
    TenantSource {
        tenant: state.governance.tenant.clone(),
        source: state.source.clone(),
    }
}
