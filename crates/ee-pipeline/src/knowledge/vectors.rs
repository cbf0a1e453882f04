//! The vector index, following the store by sequence number.

use std::path::PathBuf;
use std::sync::Arc;

use ee_index::{AdaptiveIndex, IndexConfig, IndexError, OpenedIndex, VectorIndex};
use ee_store::{Change, ChangeBatch, Sequence};
use parking_lot::{Mutex, RwLock};
use sha2::{Digest, Sha256};

use crate::PipelineError;

/// The index is written anew when its file lags this many changes behind: reading fewer of them
/// from the store takes a moment only.
const CHANGES_PER_SAVE: Sequence = 4_096;

/// Where a vector index is kept, and whose vectors it holds.
pub(super) struct VectorPlace {
    /// The file; absent keeps the index in memory only.
    pub(super) file: Option<PathBuf>,
    /// Length of the vectors.
    pub(super) dimension: usize,
    /// Names the store and the model.
    pub(super) identity: String,
    /// Settings of the index.
    pub(super) config: IndexConfig,
}

/// A vector index and how far it has followed.
pub(super) struct VectorFollower {
    place: VectorPlace,
    index: RwLock<Arc<AdaptiveIndex>>,
    stands: Mutex<Stands>,
}

/// Sequence numbers of the store.
#[derive(Debug, Clone, Copy, Default)]
struct Stands {
    /// Up to which the index has followed.
    reached: Sequence,
    /// At which its file stands.
    saved: Sequence,
}

impl VectorPlace {
    fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(&self.identity).into()
    }

    fn empty(&self) -> Result<Arc<AdaptiveIndex>, IndexError> {
        Ok(Arc::new(AdaptiveIndex::new(self.dimension, &self.config)?))
    }

    /// The index as its file holds it.
    fn load(&self) -> Result<Option<OpenedIndex>, IndexError> {
        let Some(file) = self.file.as_deref().filter(|file| file.exists()) else {
            return Ok(None);
        };
        AdaptiveIndex::load(file, self.dimension, &self.fingerprint(), &self.config).map(Some)
    }
}

impl VectorFollower {
    /// Loads the index from its file; an absent, foreign or damaged one gives an empty index,
    /// which fills itself from the store.
    pub(super) fn load(place: VectorPlace) -> Result<Self, PipelineError> {
        let (index, reached, saved) = match place.load() {
            Ok(Some(opened)) => {
                let (reached, saved) = (opened.sequence, opened.is_complete);
                (Arc::new(opened.index), reached, saved)
            }
            Ok(None) => (place.empty()?, 0, true),
            Err(error @ IndexError::Setting { .. }) => return Err(error.into()),
            Err(error) => {
                tracing::warn!(target: "pipeline", %error, "the vector index is rebuilt");
                (place.empty()?, 0, true)
            }
        };
        let stands = Stands {
            reached,
            saved: if saved { reached } else { 0 },
        };
        Ok(Self {
            place,
            index: RwLock::new(index),
            stands: Mutex::new(stands),
        })
    }

    /// The index as it stands.
    pub(super) fn index(&self) -> Arc<AdaptiveIndex> {
        Arc::clone(&self.index.read())
    }

    /// How many vectors the index holds.
    pub(super) fn len(&self) -> usize {
        self.index.read().len()
    }

    /// How far the index has followed.
    pub(super) fn reached(&self) -> Sequence {
        self.stands.lock().reached
    }

    /// Applies a batch. An index that already stands where the batch leads, or before it begins,
    /// because another thread was at work meanwhile, is left as it is.
    pub(super) fn apply(&self, batch: &ChangeBatch) -> Result<(), PipelineError> {
        let mut stands = self.stands.lock();
        if (batch.since..batch.reached).contains(&stands.reached) {
            self.take_in(&batch.changes)?;
            stands.reached = batch.reached;
        }
        Ok(())
    }

    /// Empties the index, so that the next following fills it from the store.
    pub(super) fn clear(&self) -> Result<(), PipelineError> {
        let mut stands = self.stands.lock();
        tracing::info!(target: "pipeline", reached = stands.reached, "the vector index is rebuilt");
        *self.index.write() = self.place.empty()?;
        *stands = Stands::default();
        Ok(())
    }

    /// Removals and additions go in as runs, in the order of the changes.
    fn take_in(&self, changes: &[Change]) -> Result<(), PipelineError> {
        let index = self.index();
        for run in changes.chunk_by(|a, b| is_removal(a) == is_removal(b)) {
            let removed: Vec<u64> = run.iter().filter_map(removed_key).collect();
            let added: Vec<(u64, &[f32])> = run.iter().filter_map(added_entry).collect();
            index.remove(&removed);
            index.upsert(&added)?;
        }
        Ok(())
    }

    /// Writes the index to its file when that lags far behind.
    pub(super) fn save_when_due(&self) -> Result<(), PipelineError> {
        let mut stands = self.stands.lock();
        let lag = stands.reached.abs_diff(stands.saved);
        let due = lag >= CHANGES_PER_SAVE || (stands.saved == 0 && lag > 0);
        if let Some(file) = self.place.file.as_deref().filter(|_| due) {
            self.index
                .read()
                .save(file, stands.reached, &self.place.fingerprint())?;
            stands.saved = stands.reached;
        }
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
