//! Sources: listing them, finding them by content, choosing one to remove.

use km_core::{AccessScope, Governance, Identity, SourceId};
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};

use super::directory::Directory;
use super::replace::SourceKey;
use super::{SqliteStore, governance};
use crate::StoreError;

/// A source as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// Its name.
    pub source: SourceId,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Governance of the source as a whole.
    pub governance: Governance,
    /// SHA-256 of the original bytes, lower-case hexadecimal.
    pub content_sha256: String,
    /// How many units it holds; in a reading on somebody's behalf, those that the scope may see.
    pub units: u64,
}

/// The columns that [`read`] expects.
pub(super) const SELECT: &str = "
    SELECT s.key, s.name, s.title, g.json, s.content_sha256,
           (SELECT count(*) FROM units WHERE source = s.key)
    FROM sources s JOIN governance g ON g.key = s.governance";

impl SqliteStore {
    /// The sources of which the scope sees at least one unit, by name.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn visible_sources(&self, scope: &AccessScope) -> Result<Vec<SourceRecord>, StoreError> {
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            let mut found = Vec::new();
            for (key, record) in select(connection, "ORDER BY s.name, s.tenant", &[])? {
                if let Some(units) = view.units_of(key) {
                    found.push(SourceRecord { units, ..record });
                }
            }
            Ok(found)
        })
    }

    /// The sources whose name is `prefix` or lies in the folder of that name (all for the empty
    /// prefix), as far as the identity may see them, whether they are valid now or not; by name.
    /// This is what pruning and change detection compare with.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn sources_under(
        &self,
        identity: &Identity,
        prefix: &str,
    ) -> Result<Vec<SourceRecord>, StoreError> {
        let folder = prefix.trim_end_matches('/');
        self.read(|connection| {
            // '0' follows '/' in every encoding that SQLite compares by bytes.
            let found = if folder.is_empty() {
                select(connection, "ORDER BY s.name, s.tenant", &[])?
            } else {
                select(
                    connection,
                    "WHERE s.name = ?1 OR (s.name >= ?1 || '/' AND s.name < ?1 || '0')
                     ORDER BY s.name, s.tenant",
                    &[folder],
                )?
            };
            let directory = self.directory(connection)?;
            Ok(seen_by(found, identity, &directory))
        })
    }

    /// The source of exactly this name and tenant, if the identity may see it.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn source(
        &self,
        identity: &Identity,
        tenant: Option<&str>,
        source: &SourceId,
    ) -> Result<Option<SourceRecord>, StoreError> {
        self.read(|connection| {
            let tenant = governance::tenant_column(tenant);
            let found = select(
                connection,
                "WHERE s.tenant = ?1 AND s.name = ?2",
                &[&tenant, source.as_str()],
            )?;
            let directory = self.directory(connection)?;
            Ok(seen_by(found, identity, &directory).into_iter().next())
        })
    }

    /// The sources with these original bytes, as far as the identity may see them: a file that
    /// was renamed is found by it.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn sources_by_content(
        &self,
        identity: &Identity,
        content_sha256: &str,
    ) -> Result<Vec<SourceRecord>, StoreError> {
        self.read(|connection| {
            let found = select(
                connection,
                "WHERE s.content_sha256 = ?1 ORDER BY s.name, s.tenant",
                &[content_sha256],
            )?;
            let directory = self.directory(connection)?;
            Ok(seen_by(found, identity, &directory))
        })
    }
}

/// The source of this name that the identity may remove: its own tenant's, else the common one.
pub(super) fn removable(
    connection: &Connection,
    identity: &Identity,
    source: &SourceId,
) -> Result<Option<SourceKey>, StoreError> {
    // A tenant's column sorts after the empty one of the common sources.
    let found = select(
        connection,
        "WHERE s.name = ?1 ORDER BY s.tenant DESC",
        &[source.as_str()],
    )?;
    Ok(found
        .into_iter()
        .find(|(_, record)| identity.may_see(&record.governance))
        .map(|(key, _)| key))
}

/// The sources that the identity may see, with how many of their units it may see.
fn seen_by(
    found: Vec<(SourceKey, SourceRecord)>,
    identity: &Identity,
    directory: &Directory,
) -> Vec<SourceRecord> {
    found
        .into_iter()
        .filter(|(_, record)| identity.may_see(&record.governance))
        .map(|(key, record)| SourceRecord {
            units: directory.units_of(key, identity),
            ..record
        })
        .collect()
}

fn select(
    connection: &Connection,
    rest: &str,
    parameters: &[&str],
) -> Result<Vec<(SourceKey, SourceRecord)>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} {rest}"))?;
    let mut rows = statement.query(rusqlite::params_from_iter(parameters))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<(SourceKey, SourceRecord), StoreError> {
    let name: String = row.get(1)?;
    let json: String = row.get(3)?;
    let units: i64 = row.get(5)?;
    let record = SourceRecord {
        source: SourceId::new(name),
        title: row.get(2)?,
        governance: governance::parse(&json)?,
        content_sha256: row.get(4)?,
        units: units as u64,
    };
    Ok((row.get(0)?, record))
}
