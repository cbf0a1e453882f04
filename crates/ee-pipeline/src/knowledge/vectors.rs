//! The vector index, following the store by sequence number.

use std::path::PathBuf;
use std::sync::Arc;

use ee_index::VectorIndex;
use ee_store::{Change, ChangeBatch, EngineStore, Sequence, StoreError};
use km_core::Administrator;
use parking_lot::{Mutex, RwLock};

use crate::PipelineError;

/// Changes per step: bounds the memory that following takes.
const CHANGES_PER_STEP: usize = 4_096;

/// A vector index and how far it has followed.
pub(super) struct VectorFollower {
    index: RwLock<Arc<dyn VectorIndex>>,
    reached: Mutex<Sequence>,
    dimension: usize,
    file: Option<PathBuf>,
}

impl VectorFollower {
    /// Loads the index from its file; an absent, foreign or damaged one gives an empty index,
    /// which fills itself from the store.
    pub(super) fn load(file: Option<PathBuf>, dimension: usize, identity: &str) -> Self {
        let _ = identity;
        Self {
            index: RwLock::new(empty(dimension)),
            reached: Mutex::new(0),
            dimension,
            file,
        }
    }

    /// The index as it stands.
    pub(super) fn index(&self) -> Arc<dyn VectorIndex> {
        Arc::clone(&self.index.read())
    }

    /// How far the index has followed.
    pub(super) fn reached(&self) -> Sequence {
        *self.reached.lock()
    }

    /// Applies what the store committed since. Returns whether there was anything.
    pub(super) fn follow(
        &self,
        store: &dyn EngineStore,
        capability: Administrator,
    ) -> Result<bool, PipelineError> {
        let mut reached = self.reached.lock();
        let mut moved = false;
        loop {
            match store.changes_since(capability, *reached, CHANGES_PER_STEP) {
                Ok(batch) if batch.reached == *reached => return Ok(moved),
                Ok(batch) => {
                    self.apply(&batch)?;
                    *reached = batch.reached;
                    moved = true;
                }
                Err(StoreError::ChangesPruned { .. } | StoreError::IndexAhead { .. }) => {
                    self.empty_out(&mut reached);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Empties the index, so that the next following fills it from the store.
    pub(super) fn clear(&self) {
        self.empty_out(&mut self.reached.lock());
    }

    fn empty_out(&self, reached: &mut Sequence) {
        tracing::info!(target: "pipeline", reached = *reached, "the vector index is rebuilt");
        *self.index.write() = empty(self.dimension);
        *reached = 0;
    }

    /// Removals and additions go in as runs, in the order of the changes.
    fn apply(&self, batch: &ChangeBatch) -> Result<(), PipelineError> {
        let index = self.index();
        for run in batch
            .changes
            .chunk_by(|a, b| is_removal(a) == is_removal(b))
        {
            let removed: Vec<u64> = run.iter().filter_map(removed_key).collect();
            let added: Vec<(u64, &[f32])> = run.iter().filter_map(added_entry).collect();
            index.remove(&removed);
            index.upsert(&added)?;
        }
        Ok(())
    }

    /// Keeps the index for the next run, where a file is named for it.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the file comes with ee-index's own format"
    )]
    pub(super) fn save(&self) -> Result<(), PipelineError> {
        let _ = &self.file;
        Ok(())
    }
}

fn is_removal(change: &Change) -> bool {
    matches!(change, Change::Removed { .. })
}

fn removed_key(change: &Change) -> Option<u64> {
    match change {
        Change::Removed { key } => Some(*key),
        Change::Added { .. } => None,
    }
}

fn added_entry(change: &Change) -> Option<(u64, &[f32])> {
    match change {
        Change::Added { key, embedding, .. } => Some((*key, embedding)),
        Change::Removed { .. } => None,
    }
}

fn empty(dimension: usize) -> Arc<dyn VectorIndex> {
    Arc::new(Scan {
        dimension,
        vectors: RwLock::default(),
    })
}

/// Stands in until the adaptive index is there: compares with every vector.
struct Scan {
    dimension: usize,
    vectors: RwLock<std::collections::BTreeMap<u64, Vec<f32>>>,
}

impl VectorIndex for Scan {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn len(&self) -> usize {
        self.vectors.read().len()
    }

    fn upsert(&self, entries: &[(u64, &[f32])]) -> Result<(), ee_index::IndexError> {
        self.vectors
            .write()
            .extend(entries.iter().map(|(key, vector)| (*key, vector.to_vec())));
        Ok(())
    }

    fn remove(&self, keys: &[u64]) {
        let mut vectors = self.vectors.write();
        for key in keys {
            vectors.remove(key);
        }
    }

    fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<ee_index::Filter<'_>>,
    ) -> Result<Vec<ee_index::Neighbour>, ee_index::IndexError> {
        let vectors = self.vectors.read();
        let admitted = vectors
            .iter()
            .filter(|(key, _)| filter.is_none_or(|admit| admit(**key)));
        let mut near: Vec<ee_index::Neighbour> = admitted
            .map(|(key, vector)| {
                let cosine = vector.iter().zip(query).map(|(a, b)| a * b).sum();
                ee_index::Neighbour { key: *key, cosine }
            })
            .collect();
        near.sort_by(|a, b| super::fusion::best_first((a.cosine, a.key), (b.cosine, b.key)));
        near.truncate(k);
        Ok(near)
    }
}
