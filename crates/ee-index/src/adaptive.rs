//! The index that chooses by size.

use std::path::Path;

use crate::codes::{CodedPartitions, KeptPartitions};
use crate::collection::{Collection, Held, Successor};
use crate::file::{self, Contents, Loaded};
use crate::finder::Finder;
use crate::hyperplane::HashTables;
use crate::vectors::Slot;
use crate::{Filter, IndexConfig, IndexError, Method, Neighbour, VectorIndex};

/// An index from its file.
pub struct OpenedIndex {
    /// The index.
    pub index: AdaptiveIndex,
    /// How far it had followed the store when it was saved.
    pub sequence: u64,
    /// Whether the file held everything. If not, parts were made anew, as after a change of the
    /// settings: saving spares the next start that.
    pub is_complete: bool,
}

/// Compares with every vector up to [`IndexConfig::exact_up_to`] and hashes from there on.
///
/// It can be kept in a file together with how far it has followed the store (`sequence`) and
/// which model its vectors come from (`fingerprint`).
pub struct AdaptiveIndex {
    dimension: usize,
    config: IndexConfig,
    collection: Collection,
}

impl AdaptiveIndex {
    /// An empty index of vectors of `dimension` components.
    ///
    /// # Errors
    /// [`IndexError::Setting`] for a setting outside its range.
    pub fn new(dimension: usize, config: &IndexConfig) -> Result<Self, IndexError> {
        config.validate()?;
        Ok(Self {
            dimension,
            config: config.clone(),
            collection: Collection::new(dimension, None),
        })
    }

    /// Whether queries are answered without loss, by comparing with every vector.
    pub fn is_exact(&self) -> bool {
        self.collection.read().finder.is_none()
    }

    /// Copies of the vectors under `keys`, in the order given; absent for a key that is not held.
    pub fn vectors(&self, keys: &[u64]) -> Vec<Option<Vec<f32>>> {
        let vectors = &self.collection.read().vectors;
        let copy = |key: &u64| Some(vectors.vector(vectors.slot(*key)?).to_vec());
        keys.iter().map(copy).collect()
    }

    /// Writes the index to a file, replacing it in one step: a crash leaves the old or the new one.
    ///
    /// `sequence` and `fingerprint` come back from [`AdaptiveIndex::load`].
    ///
    /// # Errors
    /// [`IndexError::File`] when the folder cannot be written to.
    pub fn save(
        &self,
        path: &Path,
        sequence: u64,
        fingerprint: &[u8; 32],
    ) -> Result<(), IndexError> {
        let collection = self.collection.read();
        let finder = collection.finder.as_ref();
        let contents = Contents {
            dimension: self.dimension,
            sequence,
            fingerprint: *fingerprint,
            keys: collection.vectors.keys(),
            components: collection.vectors.components(),
            finder: &finder.map_or(Vec::new(), |finder| finder.to_bytes()),
        };
        file::save(path, &contents)
    }

    /// Reads an index that [`AdaptiveIndex::save`] wrote. It may be opened under any settings; what
    /// was made under others is made again.
    ///
    /// # Errors
    /// [`IndexError::File`] when it cannot be read, [`IndexError::Damaged`] or
    /// [`IndexError::Newer`] when it cannot be understood, [`IndexError::OtherModel`] when the
    /// dimension or the fingerprint differ: rebuild the index from the store then.
    /// [`IndexError::Setting`] for a setting outside its range.
    pub fn load(
        path: &Path,
        dimension: usize,
        fingerprint: &[u8; 32],
        config: &IndexConfig,
    ) -> Result<OpenedIndex, IndexError> {
        let mut index = Self::new(dimension, config)?;
        let loaded = file::load(path)?;
        if loaded.fingerprint != *fingerprint || loaded.vectors.dimension() != dimension {
            let path = path.to_owned();
            return Err(IndexError::OtherModel { path });
        }
        let kept = index.kept_finder(&loaded);
        let mut is_complete = kept.as_ref().is_none_or(|kept| kept.is_measured);
        let held = Held {
            finder: kept.map(|kept| Box::new(kept.finder) as Box<dyn Finder>),
            vectors: loaded.vectors,
        };
        index.collection = Collection::of(held);
        let made = index.collection.exchange(&|held| index.due(held));
        is_complete &= !made || index.config.method == Method::Hyperplanes;
        Ok(OpenedIndex {
            index,
            sequence: loaded.sequence,
            is_complete,
        })
    }

    /// The finder from a file, if it fits the settings.
    fn kept_finder(&self, loaded: &Loaded) -> Option<KeptPartitions> {
        if self.config.method != Method::Codes {
            return None;
        }
        KeptPartitions::read(&loaded.finder, &loaded.vectors, &self.config)
    }

    fn finder(&self) -> Box<dyn Finder> {
        match self.config.method {
            Method::Codes => Box::new(CodedPartitions::new(self.dimension, &self.config)),
            Method::Hyperplanes => Box::new(HashTables::new(self.dimension, &self.config)),
        }
    }

    /// Takes up hashing when the collection has outgrown comparing, and leaves it again when less
    /// than half of that size is left.
    fn due(&self, held: &Held) -> Successor {
        let count = held.vectors.len();
        match held.finder {
            None if count > self.config.exact_up_to => {
                tracing::info!(target: "index", vectors = count, "the collection is hashed from now on");
                let mut finder = self.finder();
                finder.add(&held.vectors, 0..count as Slot);
                let better = finder.successor(&held.vectors);
                Successor::Finder(better.unwrap_or(finder))
            }
            Some(_) if count <= self.config.exact_up_to / 2 => Successor::Comparing,
            _ => held.successor(),
        }
    }

    /// Bytes of memory that the index takes beside the vectors themselves.
    pub fn bytes_beside_vectors(&self) -> usize {
        self.collection.bytes_beside_vectors()
    }
}

impl VectorIndex for AdaptiveIndex {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn len(&self) -> usize {
        self.collection.read().vectors.len()
    }

    fn upsert(&self, entries: &[(u64, &[f32])]) -> Result<(), IndexError> {
        self.collection.upsert(entries, &|held| self.due(held))
    }

    fn remove(&self, keys: &[u64]) {
        self.collection.remove(keys, &|held| self.due(held));
    }

    fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Result<Vec<Neighbour>, IndexError> {
        self.collection.search(query, k, filter)
    }

    fn cosines(&self, query: &[f32], keys: &[u64]) -> Result<Vec<Option<f32>>, IndexError> {
        self.collection.cosines(query, keys)
    }
}
