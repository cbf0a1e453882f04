//! One run of ingestion: what waits, what was seen, and the report.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use ee_ingest::SkipReason;
use ee_store::{SourceState, TenantSource};
use km_core::{Administrator, Governance, SourceId};
use rayon::prelude::*;

use super::chunk::Item;
use super::prepare::{Preparation, Prepared, PreparedSource};
use super::root::{IngestRoot, Registration};
use crate::knowledge::{IngestProgress, IngestReport, KnowledgeBase, SkippedFile};
use crate::{Cancellation, PipelineError};

/// Sources that are read and parsed together.
const CHUNK_SOURCES: usize = 64;
/// Bytes that are read together, unless one source alone has more.
const CHUNK_BYTES: u64 = 32 * 1024 * 1024;
/// Texts that gather before they are embedded.
const WAITING_TEXTS: usize = 512;
/// Sources that gather before they are written, so that a run of tiny ones shows progress.
const WAITING_SOURCES: usize = 256;
/// Changed units after which the indexes follow.
const UNITS_PER_FOLLOW: usize = 4_096;

/// One run.
pub(super) struct Run<'a> {
    pub(super) base: &'a KnowledgeBase,
    progress: &'a dyn IngestProgress,
    pub(super) cancellation: &'a Cancellation,
    governance: Governance,
    chunk: Vec<Item>,
    chunk_bytes: u64,
    pub(super) waiting: Vec<PreparedSource>,
    waiting_texts: usize,
    pub(super) report: IngestReport,
    seen: HashSet<TenantSource>,
    /// Names, and folders of names, that could not be read and so are not pruned.
    unreadable: Vec<String>,
    found: usize,
    done: usize,
    changed_since_follow: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        base: &'a KnowledgeBase,
        progress: &'a dyn IngestProgress,
        cancellation: &'a Cancellation,
        governance: Governance,
    ) -> Self {
        Self {
            base,
            progress,
            cancellation,
            governance,
            chunk: Vec::new(),
            chunk_bytes: 0,
            waiting: Vec::new(),
            waiting_texts: 0,
            report: IngestReport::default(),
            seen: HashSet::new(),
            unreadable: Vec::new(),
            found: 0,
            done: 0,
            changed_since_follow: 0,
        }
    }

    /// States how many sources are to come.
    pub(super) fn expect(&mut self, found: usize) {
        self.found = found;
    }

    /// Whether the run was asked to stop; the report then says so.
    pub(super) fn is_cancelled(&mut self) -> bool {
        self.report.cancelled |= self.cancellation.is_cancelled();
        self.report.cancelled
    }

    /// Takes a source in.
    pub(super) fn add(&mut self, item: Item) -> Result<(), PipelineError> {
        let bytes = item.bytes();
        let full = self.chunk.len() >= CHUNK_SOURCES
            || self.chunk_bytes.saturating_add(bytes) > CHUNK_BYTES;
        if full && !self.chunk.is_empty() {
            self.prepare_chunk()?;
        }
        self.chunk_bytes = self.chunk_bytes.saturating_add(bytes);
        self.chunk.push(item);
        Ok(())
    }

    /// Notes a path that was left out.
    pub(super) fn skip(&mut self, path: &Path, reason: SkipReason) {
        self.report.skipped.push(SkippedFile {
            path: path.to_owned(),
            reason,
        });
    }

    /// Notes what a walk left out. What was stored under its name goes, unless it may come back.
    pub(super) fn walk_skipped(
        &mut self,
        root: &IngestRoot,
        path: &Path,
        reason: SkipReason,
    ) -> Result<(), PipelineError> {
        let name = root.name_of(path);
        self.skip(path, reason.clone());
        self.count(&name);
        let states = self.states(&[SourceId::new(name.clone())])?;
        let stored = states
            .iter()
            .filter(|state| state.root.as_ref() == Some(&root.text));
        self.leave_out(&name, &reason, &stored.collect::<Vec<_>>())
    }

    /// Reads and parses what has gathered.
    fn prepare_chunk(&mut self) -> Result<(), PipelineError> {
        let chunk = std::mem::take(&mut self.chunk);
        self.chunk_bytes = 0;
        if chunk.is_empty() || self.is_cancelled() {
            return Ok(());
        }
        let names: Vec<SourceId> = chunk.iter().map(|item| item.source.clone()).collect();
        let states = self.states(&names)?;
        let mut by_name: HashMap<&SourceId, Vec<&SourceState>> = HashMap::new();
        for state in &states {
            by_name.entry(&state.source).or_default().push(state);
        }
        let roots: Vec<(Option<String>, std::path::PathBuf)> = chunk
            .iter()
            .map(|item| (item.root.clone(), item.path()))
            .collect();
        let prepared = self.prepare_all(chunk, &by_name)?;
        for ((source, (root, path)), prepared) in names.iter().zip(roots).zip(prepared) {
            let stored = by_name.get(source).map_or(&[][..], Vec::as_slice);
            let stored: Vec<&SourceState> = stored
                .iter()
                .copied()
                .filter(|state| state.root == root)
                .collect();
            self.take(source, &path, prepared, &stored)?;
        }
        Ok(())
    }

    fn prepare_all(
        &self,
        chunk: Vec<Item>,
        stored: &HashMap<&SourceId, Vec<&SourceState>>,
    ) -> Result<Vec<Prepared>, PipelineError> {
        let preparation = Preparation {
            config: &self.base.ingest_config,
            embedder: &*self.base.parts.embedder,
            model: &self.base.fingerprint,
            governance: &self.governance,
        };
        let prepare = |item: Item| {
            let stored = stored.get(&item.source).map_or(&[][..], Vec::as_slice);
            preparation.prepare(item, stored)
        };
        chunk.into_par_iter().map(prepare).collect()
    }

    /// Sorts a prepared source to where it belongs.
    fn take(
        &mut self,
        source: &SourceId,
        path: &Path,
        prepared: Prepared,
        stored: &[&SourceState],
    ) -> Result<(), PipelineError> {
        match prepared {
            Prepared::Unchanged { tenant } => {
                self.report.unchanged += 1;
                self.see(tenant, source);
                self.count(source.as_str());
            }
            Prepared::Skipped(reason) => {
                self.skip(path, reason.clone());
                self.count(source.as_str());
                self.leave_out(source.as_str(), &reason, stored)?;
            }
            Prepared::Parsed(prepared) => {
                let tenant = prepared.parsed.governance.tenant.clone();
                let others = stored
                    .iter()
                    .filter(|state| state.governance.tenant != tenant);
                self.drop_stored(&others.copied().collect::<Vec<_>>())?;
                self.see(tenant, source);
                self.waiting_texts += prepared.texts.len();
                self.waiting.push(*prepared);
                if self.waiting_texts >= WAITING_TEXTS || self.waiting.len() >= WAITING_SOURCES {
                    self.write_waiting()?;
                }
            }
        }
        Ok(())
    }

    /// A source that is left out loses what was stored of it, unless it merely cannot be read now.
    fn leave_out(
        &mut self,
        name: &str,
        reason: &SkipReason,
        stored: &[&SourceState],
    ) -> Result<(), PipelineError> {
        if matches!(reason, SkipReason::Unreadable { .. }) {
            self.unreadable.push(name.to_owned());
            return Ok(());
        }
        self.drop_stored(stored)
    }

    fn drop_stored(&mut self, stored: &[&SourceState]) -> Result<(), PipelineError> {
        let sources: Vec<TenantSource> = stored
            .iter()
            .map(|state| TenantSource {
                tenant: state.governance.tenant.clone(),
                source: state.source.clone(),
            })
            .collect();
        self.drop_sources(&sources)
    }

    fn drop_sources(&mut self, sources: &[TenantSource]) -> Result<(), PipelineError> {
        let units = self
            .base
            .parts
            .store
            .drop_sources(Administrator::assume(), sources)?;
        self.report.removed += sources.len();
        self.report.units_removed += units;
        self.changed(units)
    }

    /// Prepares and writes what is left.
    pub(super) fn finish_writing(&mut self) -> Result<(), PipelineError> {
        self.prepare_chunk()?;
        self.write_waiting()
    }

    fn write_waiting(&mut self) -> Result<(), PipelineError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_texts = 0;
        if waiting.is_empty() || self.is_cancelled() {
            return Ok(());
        }
        self.embed_and_write(waiting)
    }

    /// Removes sources below `root` whose file was not come upon.
    pub(super) fn prune(&mut self, root: &IngestRoot) -> Result<(), PipelineError> {
        if self.is_cancelled() || !root.is_folder {
            return Ok(());
        }
        let stored = self
            .base
            .parts
            .store
            .source_roots(Administrator::assume())?;
        let gone = stored.into_iter().filter_map(|(key, text)| {
            let registration = Registration::read(text.as_deref()?)?;
            let gone = root.holds(&registration, &key.source)
                && !(registration == root.registration && self.is_present(&key));
            gone.then_some(key)
        });
        let gone: Vec<TenantSource> = gone.collect();
        self.drop_sources(&gone)
    }

    fn is_present(&self, key: &TenantSource) -> bool {
        let name = key.source.as_str();
        let below = |folder: &String| {
            name.strip_prefix(folder.as_str())
                .is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        self.seen.contains(key) || self.unreadable.iter().any(below)
    }

    /// Brings the indexes in step and gives the report.
    pub(super) fn end(mut self) -> Result<IngestReport, PipelineError> {
        self.is_cancelled();
        self.base.catch_up()?;
        self.base.vectors.save()?;
        Ok(self.report)
    }

    /// Counts changed units; the indexes follow now and then, so that they never lag far behind.
    pub(super) fn changed(&mut self, units: usize) -> Result<(), PipelineError> {
        self.changed_since_follow += units;
        if self.changed_since_follow >= UNITS_PER_FOLLOW {
            self.changed_since_follow = 0;
            self.base.catch_up()?;
        }
        Ok(())
    }

    /// Counts a source that is done.
    pub(super) fn count(&mut self, name: &str) {
        self.done += 1;
        self.found = self.found.max(self.done);
        self.progress.file(self.done, self.found, name);
    }

    fn see(&mut self, tenant: Option<String>, source: &SourceId) {
        self.seen.insert(TenantSource {
            tenant,
            source: source.clone(),
        });
    }

    fn states(&self, names: &[SourceId]) -> Result<Vec<SourceState>, PipelineError> {
        Ok(self
            .base
            .parts
            .store
            .source_states(Administrator::assume(), names)?)
    }
}
