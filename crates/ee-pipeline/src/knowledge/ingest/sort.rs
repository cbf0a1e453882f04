//! Reading what has gathered, in parallel, and sorting each source to where it belongs.

use std::collections::HashMap;

use ee_ingest::SkipReason;
use ee_store::{SourceState, TenantSource};
use km_core::SourceId;
use rayon::prelude::*;

use super::chunk::{Item, Origin};
use super::prepare::{Preparation, Prepared};
use super::root::Registration;
use super::run::Run;
use crate::PipelineError;

/// Texts that gather before they are embedded.
const WAITING_TEXTS: usize = 128;
/// Sources that gather before they are written, so that a run of tiny ones shows progress.
const WAITING_SOURCES: usize = 64;

type StatesByName<'a> = HashMap<&'a SourceId, Vec<&'a SourceState>>;

impl Run<'_> {
    /// Reads and parses what has gathered.
    pub(super) fn prepare_chunk(&mut self) -> Result<(), PipelineError> {
        let chunk = std::mem::take(&mut self.chunk);
        self.chunk_bytes = 0;
        if chunk.is_empty() || self.is_cancelled() {
            return Ok(());
        }
        let origins: Vec<Origin> = chunk.iter().map(|item| item.origin.clone()).collect();
        let names: Vec<SourceId> = origins.iter().map(|origin| origin.source.clone()).collect();
        let states = self.states(&names)?;
        let mut by_name = StatesByName::new();
        for state in &states {
            by_name.entry(&state.source).or_default().push(state);
        }
        for (origin, prepared) in origins.iter().zip(self.prepare_all(chunk, &by_name)?) {
            let stored = by_name.get(&origin.source).map_or(&[][..], Vec::as_slice);
            self.sort(origin, prepared, stored)?;
        }
        Ok(())
    }

    fn prepare_all(
        &self,
        chunk: Vec<Item>,
        stored: &StatesByName<'_>,
    ) -> Result<Vec<Prepared>, PipelineError> {
        let preparation = Preparation {
            config: &self.base.ingest_config,
            embedder: &*self.base.parts.embedder,
            model: &self.base.fingerprint,
            governance: &self.governance,
        };
        let prepare = |item: Item| {
            let stored = stored
                .get(&item.origin.source)
                .map_or(&[][..], Vec::as_slice);
            preparation.prepare(item, stored)
        };
        chunk.into_par_iter().map(prepare).collect()
    }

    fn sort(
        &mut self,
        origin: &Origin,
        prepared: Prepared,
        stored: &[&SourceState],
    ) -> Result<(), PipelineError> {
        let (own, foreign): (Vec<&SourceState>, Vec<&SourceState>) = stored
            .iter()
            .partition(|state| state.root.as_deref() == origin.root_text());
        match self.refuse_taken_name(origin, prepared, &foreign) {
            Prepared::Unchanged { tenant } => {
                self.report.unchanged += 1;
                self.see(origin, tenant);
                self.count(&origin.source);
                Ok(())
            }
            Prepared::Skipped(reason) => {
                self.skip(&origin.path, reason.clone());
                self.count(&origin.source);
                self.leave_out(&origin.source, &reason, &own)
            }
            Prepared::Parsed(prepared) => {
                let tenant = prepared.parsed.governance.tenant.clone();
                self.drop_other_tenants(tenant.as_deref(), &own)?;
                self.see(origin, tenant);
                self.waiting.push(*prepared);
                self.write_when_enough()
            }
        }
    }

    /// Leaves out a file whose name belongs to a file of another folder that is still there.
    fn refuse_taken_name(
        &self,
        origin: &Origin,
        prepared: Prepared,
        foreign: &[&SourceState],
    ) -> Prepared {
        let (Prepared::Parsed(parsed), Some(_)) = (&prepared, &origin.root) else {
            return prepared;
        };
        let tenant = &parsed.parsed.governance.tenant;
        let mut owners = foreign
            .iter()
            .filter(|state| state.governance.tenant == *tenant)
            .filter_map(|state| Registration::read(state.root.as_deref()?))
            .filter(|owner| owner.file(&origin.source).exists());
        let key = TenantSource {
            tenant: tenant.clone(),
            source: origin.source.clone(),
        };
        let owner = owners.next().map(|owner| owner.folder);
        match owner.or_else(|| self.seen.get(&key).cloned()) {
            Some(folder) => {
                let name = origin.source.as_str().to_owned();
                Prepared::Skipped(SkipReason::NameTaken { name, folder })
            }
            None => prepared,
        }
    }

    fn see(&mut self, origin: &Origin, tenant: Option<String>) {
        let folder = origin
            .root
            .as_ref()
            .map(|root| root.registration.folder.clone());
        let key = TenantSource {
            tenant,
            source: origin.source.clone(),
        };
        self.seen.insert(key, folder.unwrap_or_default());
    }

    fn write_when_enough(&mut self) -> Result<(), PipelineError> {
        let texts: usize = self.waiting.iter().map(|source| source.texts.len()).sum();
        if texts >= WAITING_TEXTS || self.waiting.len() >= WAITING_SOURCES {
            self.write_waiting()?;
        }
        Ok(())
    }
}
