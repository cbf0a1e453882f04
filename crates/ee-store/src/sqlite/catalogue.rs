//! What is there, for ingestion.

use std::collections::HashSet;

use km_core::{Administrator, SourceId};
use rusqlite::{Connection, OptionalExtension};

use super::replace::{self, SourceKey};
use super::{SqliteStore, embeddings, governance};
use crate::{SourceCatalogue, SourceState, StoreError, UnitKey};

impl SourceCatalogue for SqliteStore {
    fn source_states(
        &self,
        _capability: Administrator,
        sources: &[SourceId],
    ) -> Result<Vec<Option<SourceState>>, StoreError> {
        self.read(|connection| {
            let states = sources.iter().map(|source| state(connection, source));
            states.collect()
        })
    }

    fn sources(
        &self,
        _capability: Administrator,
    ) -> Result<Vec<(SourceId, Option<String>)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT name, root FROM sources ORDER BY name, tenant")?;
            let rows = statement.query_map([], |row| {
                Ok((SourceId::new(row.get::<_, String>(0)?), row.get(1)?))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn known_embeddings(&self, hashes: &[[u8; 32]]) -> Result<HashSet<[u8; 32]>, StoreError> {
        self.read(|connection| embeddings::known(connection, hashes))
    }

    fn drop_sources(
        &self,
        _capability: Administrator,
        sources: &[SourceId],
    ) -> Result<usize, StoreError> {
        let remembered = self.config.remembered_changes;
        let mut units = 0;
        for source in sources {
            units += self.write(|transaction| {
                let mut units = 0;
                for key in keys(transaction, source)? {
                    units += replace::remove(transaction, key, remembered)?;
                }
                Ok(units)
            })?;
        }
        Ok(units)
    }

    fn unit_keys(
        &self,
        _capability: Administrator,
        after: UnitKey,
        limit: usize,
    ) -> Result<Vec<UnitKey>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT key FROM units WHERE key > ?1 ORDER BY key LIMIT ?2")?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let keys = statement.query_map([after as i64, limit], |row| {
                row.get(0).map(|key: i64| key as u64)
            })?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }
}

/// Of several tenants' sources of one name, the common one or that of the first tenant.
fn state(connection: &Connection, source: &SourceId) -> Result<Option<SourceState>, StoreError> {
    connection
        .prepare_cached(
            "SELECT s.content_sha256, s.recipe_sha256, s.root, g.json,
                    (SELECT count(*) FROM units WHERE source = s.key)
             FROM sources s JOIN governance g ON g.key = s.governance
             WHERE s.name = ?1 ORDER BY s.tenant LIMIT 1",
        )?
        .query_row([source.as_str()], |row| {
            let json: String = row.get(3)?;
            let units: i64 = row.get(4)?;
            let (content_sha256, recipe_sha256, root) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(governance::parse(&json).map(|governance| SourceState {
                content_sha256,
                recipe_sha256,
                root,
                governance,
                units: units as usize,
            }))
        })
        .optional()?
        .transpose()
}

fn keys(connection: &Connection, source: &SourceId) -> Result<Vec<SourceKey>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT key FROM sources WHERE name = ?1")?;
    let keys = statement.query_map([source.as_str()], |row| row.get(0))?;
    Ok(keys.collect::<Result<_, _>>()?)
}
