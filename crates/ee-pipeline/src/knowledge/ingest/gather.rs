//! The first stage: sources are read and parsed in parallel, a chunk at a time, and each is sorted
//! to where it belongs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::SyncSender;

use ee_ingest::SkipReason;
use ee_store::{SourceState, TenantSource};
use km_core::{Administrator, Governance, SourceId};
use rayon::prelude::*;

use super::chunk::{Item, Origin};
use super::prepare::{Preparation, Prepared};
use super::root::Registration;
use super::step::{Outcome, Step};
use crate::knowledge::KnowledgeBase;
use crate::{Cancellation, PipelineError};

/// Sources that are read and parsed together.
const CHUNK_SOURCES: usize = 64;
/// Bytes that are read together, unless one source alone has more.
const CHUNK_BYTES: u64 = 32 * 1024 * 1024;

type StatesByName<'a> = HashMap<&'a SourceId, Vec<&'a SourceState>>;

/// Takes sources in and hands on what is to be done about them.
pub(super) struct Gathering<'a> {
    base: &'a KnowledgeBase,
    cancellation: &'a Cancellation,
    /// Governance for everything that states none of its own.
    governance: &'a Governance,
    /// What is to be read next, and about how many bytes it has.
    chunk: Vec<Item>,
    chunk_bytes: u64,
    seen: Seen,
    next: SyncSender<Vec<Step>>,
    /// Whether the next stage ended before this one.
    abandoned: bool,
}

/// What a run came upon.
#[derive(Default)]
pub(super) struct Seen {
    /// The sources, with the registered folder of each.
    pub(super) sources: HashMap<TenantSource, PathBuf>,
    /// Names, and folders of names, that could not be read and so are not pruned.
    pub(super) unreadable: Vec<SourceId>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(
        base: &'a KnowledgeBase,
        governance: &'a Governance,
        cancellation: &'a Cancellation,
        next: SyncSender<Vec<Step>>,
    ) -> Self {
        Self {
            base,
            cancellation,
            governance,
            chunk: Vec::new(),
            chunk_bytes: 0,
            seen: Seen::default(),
            next,
            abandoned: false,
        }
    }

    /// Whether there is no use in going on.
    pub(super) fn is_over(&self) -> bool {
        self.abandoned || self.cancellation.is_cancelled()
    }

    /// Takes a source in.
    pub(super) fn add(&mut self, item: Item) -> Result<(), PipelineError> {
        let bytes = self.chunk_bytes.saturating_add(item.bytes());
        let full = self.chunk.len() >= CHUNK_SOURCES || bytes > CHUNK_BYTES;
        if full && !self.chunk.is_empty() {
            self.hand_on()?;
        }
        self.chunk_bytes = self.chunk_bytes.saturating_add(item.bytes());
        self.chunk.push(item);
        Ok(())
    }

    /// Hands on what is left, and tells what was seen.
    pub(super) fn finish(mut self) -> Result<Seen, PipelineError> {
        self.hand_on()?;
        Ok(self.seen)
    }

    /// Reads and parses what has gathered, and hands it on.
    fn hand_on(&mut self) -> Result<(), PipelineError> {
        let chunk = std::mem::take(&mut self.chunk);
        self.chunk_bytes = 0;
        if chunk.is_empty() || self.is_over() {
            return Ok(());
        }
        let origins: Vec<Origin> = chunk.iter().map(|item| item.origin.clone()).collect();
        let names: Vec<SourceId> = origins.iter().map(|origin| origin.source.clone()).collect();
        let store = &self.base.parts.store;
        let states = store.source_states(Administrator::assume(), &names)?;
        let mut by_name = StatesByName::new();
        for state in &states {
            by_name.entry(&state.source).or_default().push(state);
        }
        let prepared = self.prepare_all(chunk, &by_name)?;
        let steps = origins.into_iter().zip(prepared).map(|(origin, prepared)| {
            let stored = by_name.get(&origin.source).map_or(&[][..], Vec::as_slice);
            self.sort(origin, prepared, stored)
        });
        let steps = steps.collect();
        self.abandoned = self.next.send(steps).is_err();
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
            governance: self.governance,
        };
        let prepare = |item: Item| {
            let stored = stored
                .get(&item.origin.source)
                .map_or(&[][..], Vec::as_slice);
            preparation.prepare(item, stored)
        };
        chunk.into_par_iter().map(prepare).collect()
    }

    fn sort(&mut self, origin: Origin, prepared: Prepared, stored: &[&SourceState]) -> Step {
        let (own, foreign): (Vec<&SourceState>, Vec<&SourceState>) = stored
            .iter()
            .partition(|state| state.root.as_deref() == origin.root_text());
        let (gone, outcome) = match self.refuse_taken_name(&origin, prepared, &foreign) {
            Prepared::Unchanged { tenant } => {
                self.seen.add(&origin, tenant);
                (Vec::new(), Outcome::Unchanged)
            }
            Prepared::Skipped(reason) => {
                let gone = self.seen.left_out(&origin.source, &reason, &own);
                let path = origin.path;
                (gone, Outcome::Skipped { path, reason })
            }
            Prepared::Parsed(prepared) => {
                let tenant = prepared.parsed.governance.tenant.clone();
                let gone = other_tenants(tenant.as_deref(), &own);
                self.seen.add(&origin, tenant);
                (gone, Outcome::Parsed(prepared))
            }
        };
        Step {
            source: origin.source,
            gone,
            outcome,
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
        match owner.or_else(|| self.seen.sources.get(&key).cloned()) {
            Some(folder) => {
                let name = origin.source.as_str().to_owned();
                Prepared::Skipped(SkipReason::NameTaken { name, folder })
            }
            None => prepared,
        }
    }
}

impl Seen {
    fn add(&mut self, origin: &Origin, tenant: Option<String>) {
        let root = origin.root.as_ref();
        let folder = root.map(|root| root.registration.folder.clone());
        let key = TenantSource {
            tenant,
            source: origin.source.clone(),
        };
        self.sources.insert(key, folder.unwrap_or_default());
    }

    /// A source that is left out loses what was stored of it, unless it merely cannot be read now.
    fn left_out(
        &mut self,
        source: &SourceId,
        reason: &SkipReason,
        stored: &[&SourceState],
    ) -> Vec<TenantSource> {
        if matches!(reason, SkipReason::Unreadable { .. }) {
            self.unreadable.push(source.clone());
            return Vec::new();
        }
        stored.iter().map(|state| key(state)).collect()
    }
}

/// A source that now states another tenant leaves the one it had.
fn other_tenants(tenant: Option<&str>, stored: &[&SourceState]) -> Vec<TenantSource> {
    let others = stored
        .iter()
        .filter(|state| state.governance.tenant.as_deref() != tenant);
    // A source that was handed over in memory may well be there once for each tenant.
    let others = others.filter(|state| state.root.is_some());
    others.map(|state| key(state)).collect()
}

fn key(state: &SourceState) -> TenantSource {
    TenantSource {
        tenant: state.governance.tenant.clone(),
        source: state.source.clone(),
    }
}
