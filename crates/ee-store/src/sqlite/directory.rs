//! Who may see what: the sources and their governance in memory, resolved per scope.
//!
//! The directory follows the sequence number: after a commit, of this process or another, only the
//! sources that changed are read again. Scopes are evaluated on the distinct governance records of
//! each source, not on units. Between two moments at which some interval starts or ends, an
//! identity sees the same, so the result is kept until one of the two passes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use km_core::{
    AccessScope, Entity, Governance, Identity, SourceId, SourceRecord, Standing, Timestamp, resolve,
};
use parking_lot::Mutex;
use roaring::RoaringTreemap;
use rusqlite::Connection;

use super::replace::SourceKey;
use super::{SqliteStore, clock, governance};
use crate::{Sequence, StoreError, UnitKey};

/// How many resolved scopes are kept.
const VIEWS_KEPT: usize = 64;

/// Everything that decides about visibility, at one sequence number.
#[derive(Default)]
pub(super) struct Directory {
    sequence: Sequence,
    sources: BTreeMap<SourceKey, Arc<Source>>,
    /// The moments at which some interval starts or ends, ascending.
    boundaries: Vec<Timestamp>,
    views: Mutex<HashMap<(Identity, usize), Arc<View>>>,
}

/// A source and its units, grouped by governance.
struct Source {
    name: SourceId,
    governance: Governance,
    groups: Vec<(Governance, RoaringTreemap)>,
}

/// What one scope sees.
pub(super) struct View {
    /// The keys of its units.
    pub(super) keys: Arc<RoaringTreemap>,
    /// Its sources, and how many units of each it sees.
    sources: BTreeMap<SourceKey, u64>,
    /// The entities that its units name, once somebody asked.
    pub(super) entities: OnceLock<Vec<Entity>>,
}

impl View {
    pub(super) fn contains(&self, key: UnitKey) -> bool {
        self.keys.contains(key)
    }

    /// How many units of a source it sees; absent when it does not see the source.
    pub(super) fn units_of(&self, source: SourceKey) -> Option<u64> {
        self.sources.get(&source).copied()
    }
}

impl SqliteStore {
    /// What `scope` sees in this snapshot.
    pub(super) fn view(
        &self,
        connection: &Connection,
        scope: &AccessScope,
    ) -> Result<Arc<View>, StoreError> {
        Ok(self.directory(connection)?.view(scope))
    }

    /// What decides about visibility in this snapshot.
    pub(super) fn directory(&self, connection: &Connection) -> Result<Arc<Directory>, StoreError> {
        let known = self.directory.lock().clone();
        let sequence = clock::sequence(connection)?;
        if known.sequence == sequence {
            return Ok(known);
        }
        let current = Arc::new(Directory::read(connection, sequence, &known)?);
        let mut latest = self.directory.lock();
        // A thread with an older snapshot must not turn the shared directory back.
        if latest.sequence < sequence {
            *latest = current.clone();
        }
        Ok(current)
    }
}

impl Directory {
    /// The directory at `sequence`, taking from `known` what did not change.
    fn read(connection: &Connection, sequence: Sequence, known: &Self) -> Result<Self, StoreError> {
        // `known` may be of a later snapshot than this one: then nothing of it can be trusted.
        let empty = Self::default();
        let known = if known.sequence < sequence {
            known
        } else {
            &empty
        };
        let mut sources = known.sources.clone();
        let present = present(connection)?;
        sources.retain(|key, _| present.contains(key));
        for (key, source) in changed_since(connection, known.sequence)? {
            sources.insert(key, Arc::new(source));
        }
        Ok(Self {
            sequence,
            boundaries: boundaries(sources.values()),
            sources,
            views: Mutex::default(),
        })
    }

    /// How many units of a source the identity may see, whether they are valid now or not.
    pub(super) fn units_of(&self, source: SourceKey, identity: &Identity) -> u64 {
        let groups = self.sources.get(&source).map(|source| &source.groups);
        groups
            .into_iter()
            .flatten()
            .filter(|(governance, _)| identity.may_see(governance))
            .map(|(_, units)| units.len())
            .sum()
    }

    fn view(&self, scope: &AccessScope) -> Arc<View> {
        if !scope.without.is_empty() {
            return Arc::new(self.resolve(scope));
        }
        let period = self
            .boundaries
            .partition_point(|moment| *moment <= scope.at);
        let key = (scope.identity.clone(), period);
        if let Some(view) = self.views.lock().get(&key) {
            return view.clone();
        }
        let view = Arc::new(self.resolve(scope));
        let mut views = self.views.lock();
        if views.len() >= VIEWS_KEPT {
            views.clear();
        }
        views.insert(key, view.clone());
        view
    }

    fn resolve(&self, scope: &AccessScope) -> View {
        let admitted: Vec<(SourceKey, &Source, RoaringTreemap)> = self
            .sources
            .iter()
            .filter(|(_, source)| !scope.without.contains(&source.name))
            .map(|(key, source)| (*key, source.as_ref(), source.admitted(scope)))
            .filter(|(_, _, keys)| !keys.is_empty())
            .collect();
        let records: Vec<SourceRecord<'_>> = admitted
            .iter()
            .map(|(_, source, _)| SourceRecord {
                source: &source.name,
                governance: &source.governance,
            })
            .collect();
        let mut keys = RoaringTreemap::new();
        let mut sources = BTreeMap::new();
        for ((key, _, units), standing) in admitted.iter().zip(resolve(&records)) {
            if standing == Standing::Shown {
                keys |= units;
                sources.insert(*key, units.len());
            }
        }
        View {
            keys: Arc::new(keys),
            sources,
            entities: OnceLock::new(),
        }
    }
}

impl Source {
    /// The units that pass the plain rule and validity, both their own and the source's.
    fn admitted(&self, scope: &AccessScope) -> RoaringTreemap {
        let mut keys = RoaringTreemap::new();
        if scope.admits(&self.governance) {
            for (governance, group) in &self.groups {
                if scope.admits(governance) {
                    keys |= group;
                }
            }
        }
        keys
    }
}

fn boundaries<'a>(sources: impl Iterator<Item = &'a Arc<Source>>) -> Vec<Timestamp> {
    let mut moments = BTreeSet::new();
    for source in sources {
        let groups = source.groups.iter().map(|(governance, _)| governance);
        for governance in groups.chain([&source.governance]) {
            moments.extend(governance.validity.effective_from);
            moments.extend(governance.validity.expires_at);
        }
    }
    moments.into_iter().collect()
}

fn present(connection: &Connection) -> Result<BTreeSet<SourceKey>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key FROM sources")?;
    let keys = statement.query_map([], |row| row.get(0))?;
    Ok(keys.collect::<Result<_, _>>()?)
}

fn changed_since(
    connection: &Connection,
    since: Sequence,
) -> Result<Vec<(SourceKey, Source)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT s.key, s.name, g.json FROM sources s JOIN governance g ON g.key = s.governance
         WHERE s.changed > ?1",
    )?;
    let mut rows = statement.query([since as i64])?;
    let mut changed = Vec::new();
    while let Some(row) = rows.next()? {
        let key: SourceKey = row.get(0)?;
        let name: String = row.get(1)?;
        let json: String = row.get(2)?;
        let source = Source {
            name: SourceId::new(name),
            governance: governance::parse(&json)?,
            groups: groups(connection, key)?,
        };
        changed.push((key, source));
    }
    Ok(changed)
}

fn groups(
    connection: &Connection,
    source: SourceKey,
) -> Result<Vec<(Governance, RoaringTreemap)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT governance, key FROM units WHERE source = ?1")?;
    let mut rows = statement.query([source])?;
    let mut groups: BTreeMap<governance::GovernanceKey, RoaringTreemap> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(1)?;
        groups.entry(row.get(0)?).or_default().insert(key as u64);
    }
    let mut parse = connection.prepare_cached("SELECT json FROM governance WHERE key = ?1")?;
    groups
        .into_iter()
        .map(|(governance, keys)| {
            let json: String = parse.query_row([governance], |row| row.get(0))?;
            Ok((governance::parse(&json)?, keys))
        })
        .collect()
}
