//! Replacing what a source holds, and removing a source.

use std::collections::{BTreeSet, HashMap};

use km_core::{Link, SourceId, Unit, UnitId};
use rusqlite::{Connection, OptionalExtension, params};

use super::clock::Ticker;
use super::embeddings::{self, EmbeddingKey};
use super::error::{to_json, unreadable};
use super::governance::{self, GovernanceKey, tenant_column};
use super::units::{index_text, unit_id};
use super::{entities, links, meta};
use crate::{SourceChange, SourceWrite, StoreError, UnitKey, UnitWrite};

/// Row number of a source.
pub(super) type SourceKey = i64;

/// Replaces everything the source holds; to be called in a write transaction.
pub(super) fn replace(
    connection: &Connection,
    write: &SourceWrite,
    remembered_changes: u64,
) -> Result<SourceChange, StoreError> {
    check_units(write)?;
    let mut ticker = Ticker::start(connection)?;
    let before = SourceRow::find(connection, write)?;
    let source = SourceRow::intern(connection, write, before.as_ref())?;
    let mut replacement = Replacement {
        connection,
        write,
        source,
        title_before: before.as_ref().and_then(|row| row.title.clone()),
        stored: StoredRow::of_source(connection, source)?,
        orphans: Orphans::default(),
        ticker: &mut ticker,
    };
    let mut change = SourceChange {
        existed: before.is_some(),
        ..SourceChange::default()
    };
    replacement.write_units(&mut change)?;
    replacement.remove_rest(&mut change)?;
    let mut orphans = replacement.orphans;
    let current = SourceRow::of(connection, write)?;
    if before.as_ref() != Some(&current) || ticker.moved() {
        current.update(connection, source, ticker.tick())?;
        orphans.governance.extend(before.map(|row| row.governance));
    }
    orphans.release(connection)?;
    forget_old_removals(connection, ticker.finish()?, remembered_changes)?;
    Ok(change)
}

/// Removes a source with everything it holds and returns how many units that was; to be called in
/// a write transaction.
pub(super) fn remove(
    connection: &Connection,
    source: SourceKey,
    remembered_changes: u64,
) -> Result<usize, StoreError> {
    let mut ticker = Ticker::start(connection)?;
    let mut orphans = Orphans::default();
    let stored = StoredRow::of_source(connection, source)?;
    remove_all(connection, &stored, &mut ticker, &mut orphans)?;
    let governance: GovernanceKey = connection
        .prepare_cached("DELETE FROM sources WHERE key = ?1 RETURNING governance")?
        .query_row([source], |row| row.get(0))?;
    ticker.tick();
    orphans.governance.insert(governance);
    orphans.release(connection)?;
    forget_old_removals(connection, ticker.finish()?, remembered_changes)?;
    Ok(stored.len())
}

fn check_units(write: &SourceWrite) -> Result<(), StoreError> {
    let mut seen = BTreeSet::new();
    for UnitWrite { unit, .. } in &write.units {
        if unit.source != write.source {
            return Err(StoreError::ForeignUnit {
                unit: unit.id,
                expected: write.source.clone(),
                found: unit.source.clone(),
            });
        }
        if !seen.insert(unit.id) {
            return Err(duplicate(unit.id, &write.source));
        }
    }
    Ok(())
}

fn duplicate(unit: UnitId, source: &SourceId) -> StoreError {
    StoreError::DuplicateUnit {
        unit,
        source_name: source.clone(),
    }
}

/// Drops removals that lie more than `remembered` changes back.
fn forget_old_removals(
    connection: &Connection,
    sequence: u64,
    remembered: u64,
) -> Result<(), StoreError> {
    let through = sequence.saturating_sub(remembered);
    let forgotten = connection
        .prepare_cached("DELETE FROM removals WHERE sequence <= ?1")?
        .execute([through as i64])?;
    if forgotten > 0 {
        meta::set_pruned_through(connection, through)?;
    }
    Ok(())
}

/// The row of a source, apart from its key and sequence number.
#[derive(PartialEq, Eq)]
struct SourceRow {
    title: Option<String>,
    governance: GovernanceKey,
    content_sha256: String,
    recipe_sha256: String,
    root: Option<String>,
}

impl SourceRow {
    fn of(connection: &Connection, write: &SourceWrite) -> Result<Self, StoreError> {
        Ok(Self {
            title: write.title.clone(),
            governance: governance::intern(connection, &write.governance)?,
            content_sha256: write.content_sha256.clone(),
            recipe_sha256: write.recipe_sha256.clone(),
            root: write.root.clone(),
        })
    }

    fn find(connection: &Connection, write: &SourceWrite) -> Result<Option<Self>, StoreError> {
        Ok(connection
            .prepare_cached(
                "SELECT title, governance, content_sha256, recipe_sha256, root FROM sources
                 WHERE tenant = ?1 AND name = ?2",
            )?
            .query_row(
                [
                    tenant_column(write.governance.tenant.as_deref()).as_str(),
                    write.source.as_str(),
                ],
                |row| {
                    Ok(Self {
                        title: row.get(0)?,
                        governance: row.get(1)?,
                        content_sha256: row.get(2)?,
                        recipe_sha256: row.get(3)?,
                        root: row.get(4)?,
                    })
                },
            )
            .optional()?)
    }

    /// The key of the source, which is written when it was not there `before`.
    fn intern(
        connection: &Connection,
        write: &SourceWrite,
        before: Option<&Self>,
    ) -> Result<SourceKey, StoreError> {
        let tenant = tenant_column(write.governance.tenant.as_deref());
        if before.is_none() {
            let row = Self::of(connection, write)?;
            connection
                .prepare_cached(
                    "INSERT INTO sources (tenant, name, title, governance, content_sha256,
                                          recipe_sha256, root, changed)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)",
                )?
                .execute(params![
                    tenant,
                    write.source.as_str(),
                    row.title,
                    row.governance,
                    row.content_sha256,
                    row.recipe_sha256,
                    row.root
                ])?;
            return Ok(connection.last_insert_rowid());
        }
        Ok(connection
            .prepare_cached("SELECT key FROM sources WHERE tenant = ?1 AND name = ?2")?
            .query_row([tenant.as_str(), write.source.as_str()], |row| row.get(0))?)
    }

    fn update(
        &self,
        connection: &Connection,
        key: SourceKey,
        changed: u64,
    ) -> Result<(), StoreError> {
        connection
            .prepare_cached(
                "UPDATE sources SET title = ?2, governance = ?3, content_sha256 = ?4,
                                    recipe_sha256 = ?5, root = ?6, changed = ?7
                 WHERE key = ?1",
            )?
            .execute(params![
                key,
                self.title,
                self.governance,
                self.content_sha256,
                self.recipe_sha256,
                self.root,
                changed as i64
            ])?;
        Ok(())
    }
}

/// The columns of a unit that a replacement may change.
#[derive(PartialEq, Eq)]
struct UnitRow {
    position: i64,
    governance: GovernanceKey,
    embedding: EmbeddingKey,
    kind: String,
    summary: String,
    metadata: String,
    content: String,
}

impl UnitRow {
    fn of<'w>(
        connection: &Connection,
        position: usize,
        write: &'w UnitWrite,
        governance: &mut governance::Interner<'w>,
    ) -> Result<Self, StoreError> {
        let unit = &write.unit;
        Ok(Self {
            position: position as i64,
            governance: governance.intern(connection, &unit.governance)?,
            embedding: embeddings::intern(connection, write)?,
            kind: unit.kind.name().to_owned(),
            summary: unit.summary.clone(),
            metadata: to_json("unit metadata", &unit.metadata)?,
            content: unit.content.clone(),
        })
    }
}

/// A unit as it is stored.
struct StoredRow {
    key: UnitKey,
    row: UnitRow,
    links: Vec<Link>,
}

impl StoredRow {
    fn of_source(
        connection: &Connection,
        source: SourceKey,
    ) -> Result<HashMap<UnitId, Self>, StoreError> {
        let mut statement = connection.prepare_cached(
            "SELECT key, id, position, governance, embedding, kind, summary, metadata, content
             FROM units WHERE source = ?1",
        )?;
        let mut rows = statement.query([source])?;
        let mut stored = HashMap::new();
        while let Some(row) = rows.next()? {
            let key: i64 = row.get(0)?;
            let columns = UnitRow {
                position: row.get(2)?,
                governance: row.get(3)?,
                embedding: row.get(4)?,
                kind: row.get(5)?,
                summary: row.get(6)?,
                metadata: row.get(7)?,
                content: row.get(8)?,
            };
            stored.insert(
                unit_id(
                    row.get_ref(1)?
                        .as_blob()
                        .map_err(|e| unreadable("unit id", e))?,
                )?,
                Self {
                    key: key as u64,
                    row: columns,
                    links: links::of_unit(connection, key as u64)?,
                },
            );
        }
        Ok(stored)
    }
}

/// Rows that may have lost their last reader.
#[derive(Default)]
struct Orphans {
    embeddings: BTreeSet<EmbeddingKey>,
    governance: BTreeSet<GovernanceKey>,
}

impl Orphans {
    fn add(&mut self, row: &UnitRow) {
        self.embeddings.insert(row.embedding);
        self.governance.insert(row.governance);
    }

    fn release(&self, connection: &Connection) -> Result<(), StoreError> {
        for key in &self.embeddings {
            embeddings::release(connection, *key)?;
        }
        for key in &self.governance {
            governance::release(connection, *key)?;
        }
        Ok(())
    }
}

/// A replacement under way; `stored` shrinks to the units that vanish.
struct Replacement<'a, 'c> {
    connection: &'c Connection,
    write: &'a SourceWrite,
    source: SourceKey,
    title_before: Option<String>,
    stored: HashMap<UnitId, StoredRow>,
    orphans: Orphans,
    ticker: &'a mut Ticker<'c>,
}

impl Replacement<'_, '_> {
    fn write_units(&mut self, change: &mut SourceChange) -> Result<(), StoreError> {
        let write = self.write;
        let mut governance = governance::Interner::default();
        for (position, unit) in write.units.iter().enumerate() {
            let row = UnitRow::of(self.connection, position, unit, &mut governance)?;
            if let Some(stored) = self.stored.remove(&unit.unit.id) {
                self.keep(&stored, &row, &unit.unit)?;
                change.unchanged += 1;
            } else {
                self.add(&row, &unit.unit)?;
                change.added += 1;
            }
        }
        Ok(())
    }

    fn remove_rest(&mut self, change: &mut SourceChange) -> Result<(), StoreError> {
        change.removed = self.stored.len();
        remove_all(
            self.connection,
            &self.stored,
            self.ticker,
            &mut self.orphans,
        )
    }

    fn add(&mut self, row: &UnitRow, unit: &Unit) -> Result<(), StoreError> {
        let inserted = self
            .connection
            .prepare_cached(
                "INSERT INTO units (id, source, position, governance, embedding, sequence, kind,
                                    summary, metadata, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (id) DO NOTHING",
            )?
            .execute(params![
                unit.id.as_bytes().as_slice(),
                self.source,
                row.position,
                row.governance,
                row.embedding,
                self.ticker.tick() as i64,
                row.kind,
                row.summary,
                row.metadata,
                row.content
            ])?;
        if inserted == 0 {
            return Err(duplicate(unit.id, &self.write.source));
        }
        let key = self.connection.last_insert_rowid() as u64;
        links::insert(self.connection, key, &unit.links)?;
        entities::insert(self.connection, key, unit)
    }

    /// Updates what differs in a unit that stays; indexes hear of it when what they hold differs.
    fn keep(&mut self, stored: &StoredRow, row: &UnitRow, unit: &Unit) -> Result<(), StoreError> {
        if stored.links != unit.links {
            links::replace(self.connection, stored.key, &unit.links)?;
            self.ticker.tick();
        }
        if self.indexed_anew(stored, row, unit)? {
            let sequence = self.ticker.tick();
            self.connection
                .prepare_cached("UPDATE units SET sequence = ?2 WHERE key = ?1")?
                .execute([stored.key as i64, sequence as i64])?;
        }
        if stored.row == *row {
            return Ok(());
        }
        self.ticker.tick();
        self.orphans.add(&stored.row);
        entities::replace(self.connection, stored.key, unit)?;
        self.update(stored.key, row)
    }

    fn indexed_anew(
        &self,
        stored: &StoredRow,
        row: &UnitRow,
        unit: &Unit,
    ) -> Result<bool, StoreError> {
        let metadata = super::error::from_json("unit metadata", &stored.row.metadata)?;
        let before = index_text(self.title_before.as_deref(), &metadata, &stored.row.content);
        let now = index_text(self.write.title.as_deref(), &unit.metadata, &unit.content);
        Ok(before != now || stored.row.embedding != row.embedding)
    }

    fn update(&self, key: UnitKey, row: &UnitRow) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "UPDATE units SET position = ?2, governance = ?3, embedding = ?4, kind = ?5,
                                  summary = ?6, metadata = ?7, content = ?8
                 WHERE key = ?1",
            )?
            .execute(params![
                key as i64,
                row.position,
                row.governance,
                row.embedding,
                row.kind,
                row.summary,
                row.metadata,
                row.content
            ])?;
        Ok(())
    }
}

/// Removes units in the order of their keys, so that the same calls give the same sequence numbers.
fn remove_all(
    connection: &Connection,
    units: &HashMap<UnitId, StoredRow>,
    ticker: &mut Ticker<'_>,
    orphans: &mut Orphans,
) -> Result<(), StoreError> {
    let mut units: Vec<&StoredRow> = units.values().collect();
    units.sort_unstable_by_key(|stored| stored.key);
    for stored in units {
        remove_unit(connection, stored, ticker, orphans)?;
    }
    Ok(())
}

fn remove_unit(
    connection: &Connection,
    stored: &StoredRow,
    ticker: &mut Ticker<'_>,
    orphans: &mut Orphans,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("DELETE FROM units WHERE key = ?1")?
        .execute([stored.key as i64])?;
    connection
        .prepare_cached("INSERT INTO removals (sequence, unit) VALUES (?1, ?2)")?
        .execute([ticker.tick() as i64, stored.key as i64])?;
    orphans.add(&stored.row);
    Ok(())
}
