//! Vectors together with the structure that finds near ones, for many threads.

use parking_lot::{Mutex, RwLock, RwLockReadGuard};

use crate::finder::Finder;
use crate::vectors::{Slot, Vectors};
use crate::{Filter, IndexError, Neighbour};

/// Vectors that enter before searches get their turn.
const AT_ONCE: usize = 256;

/// Vectors and, unless every query compares with all of them, a finder that is kept in step.
pub(crate) struct Held {
    pub(crate) vectors: Vectors,
    pub(crate) finder: Option<Box<dyn Finder>>,
}

/// What is to take the place of the present finder.
pub(crate) enum Successor {
    /// It stays.
    None,
    /// No finder: every query compares with all vectors.
    Comparing,
    /// Another finder.
    Finder(Box<dyn Finder>),
}

/// Tells what is due after changes.
pub(crate) type Due<'a> = &'a dyn Fn(&Held) -> Successor;

/// What an index holds. One thread at a time changes it; searches wait for short steps only.
pub(crate) struct Collection {
    held: RwLock<Held>,
    /// Held by the thread that changes the collection, all the while.
    writing: Mutex<()>,
}

impl Collection {
    pub(crate) fn new(dimension: usize, finder: Option<Box<dyn Finder>>) -> Self {
        let vectors = Vectors::new(dimension);
        Self::of(Held { vectors, finder })
    }

    pub(crate) fn of(held: Held) -> Self {
        Self {
            held: RwLock::new(held),
            writing: Mutex::new(()),
        }
    }

    /// The collection as it stands; changes wait.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read()
    }

    /// All entries or, if one is bad, none.
    pub(crate) fn upsert(&self, entries: &[(u64, &[f32])], due: Due<'_>) -> Result<(), IndexError> {
        let _writing = self.writing.lock();
        self.held.read().vectors.check_all(entries)?;
        for entries in entries.chunks(AT_ONCE) {
            self.held.write().put(entries);
        }
        self.exchange(due);
        Ok(())
    }

    pub(crate) fn remove(&self, keys: &[u64], due: Due<'_>) {
        let _writing = self.writing.lock();
        for keys in keys.chunks(AT_ONCE) {
            self.held.write().remove(keys);
        }
        self.exchange(due);
    }

    /// Puts another finder in place if one is due, and tells whether that had to be made. It is
    /// made while searches go on.
    pub(crate) fn exchange(&self, due: Due<'_>) -> bool {
        let next = due(&self.held.read());
        let finder = match next {
            Successor::None => return false,
            Successor::Comparing => None,
            Successor::Finder(finder) => Some(finder),
        };
        let made = finder.is_some();
        self.held.write().finder = finder;
        made
    }

    pub(crate) fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<Filter<'_>>,
    ) -> Result<Vec<Neighbour>, IndexError> {
        let held = self.held.read();
        held.vectors.check(query)?;
        Ok(match &held.finder {
            Some(finder) => finder.search(&held.vectors, query, k, filter),
            None => held.vectors.scan(query, k, filter),
        })
    }

    pub(crate) fn cosines(
        &self,
        query: &[f32],
        keys: &[u64],
    ) -> Result<Vec<Option<f32>>, IndexError> {
        let held = self.held.read();
        held.vectors.check(query)?;
        Ok(held.vectors.cosines(query, keys))
    }

    /// Bytes of memory beside the vectors themselves.
    pub(crate) fn bytes_beside_vectors(&self) -> usize {
        let held = self.held.read();
        let finder = held.finder.as_ref();
        held.vectors.bytes_of_keys() + finder.map_or(0, |finder| finder.bytes())
    }
}

impl Held {
    /// The finder that the present one wants in its place.
    pub(crate) fn successor(&self) -> Successor {
        let finder = self.finder.as_ref();
        let next = finder.and_then(|finder| finder.successor(&self.vectors));
        next.map_or(Successor::None, Successor::Finder)
    }

    fn put(&mut self, entries: &[(u64, &[f32])]) {
        let before = self.vectors.len() as Slot;
        for (key, vector) in entries {
            let replaced = self.vectors.put(*key, vector);
            if let (Some(slot), Some(finder)) = (replaced, &mut self.finder)
                && slot < before
            {
                finder.replace(&self.vectors, slot);
            }
        }
        if let Some(finder) = &mut self.finder {
            finder.add(&self.vectors, before..self.vectors.len() as Slot);
        }
    }

    fn remove(&mut self, keys: &[u64]) {
        for key in keys {
            if let (Some(slot), Some(finder)) = (self.vectors.remove(*key), &mut self.finder) {
                finder.swap_remove(slot);
            }
        }
    }
}
