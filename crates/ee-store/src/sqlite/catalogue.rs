//! What is there, for ingestion.

use std::collections::HashSet;

use km_core::{Administrator, SourceId};
use rusqlite::{Connection, OptionalExtension};

use super::replace::{self, SourceKey};
use super::{SqliteStore, embeddings, governance};
use crate::{SourceCatalogue, SourceState, StoreError, TenantSource};

impl SourceCatalogue for SqliteStore {
    fn source_states(
        &self,
        _capability: Administrator,
        sources: &[SourceId],
    ) -> Result<Vec<SourceState>, StoreError> {
        self.read(|connection| {
            let mut states = Vec::new();
            for source in sources {
                states.extend(states_of(connection, source)?);
            }
            Ok(states)
        })
    }

    fn source_roots(
        &self,
        _capability: Administrator,
    ) -> Result<Vec<(TenantSource, Option<String>)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT tenant, name, root FROM sources ORDER BY name, tenant")?;
            let rows = statement.query_map([], |row| {
                let (tenant, name): (String, String) = (row.get(0)?, row.get(1)?);
                let tenant = tenant.strip_prefix('=').map(str::to_owned);
                Ok((
                    TenantSource {
                        tenant,
                        source: SourceId::new(name),
                    },
                    row.get(2)?,
                ))
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
        sources: &[TenantSource],
    ) -> Result<usize, StoreError> {
        let remembered = self.config.remembered_changes;
        let mut units = 0;
        for source in sources {
            units += self.write(|transaction| match key(transaction, source)? {
                Some(key) => replace::remove(transaction, key, remembered),
                None => Ok(0),
            })?;
        }
        Ok(units)
    }
}

/// The sources of this name, the common one first, then by tenant.
fn states_of(connection: &Connection, source: &SourceId) -> Result<Vec<SourceState>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT s.content_sha256, s.recipe_sha256, s.root, g.json,
                (SELECT count(*) FROM units WHERE source = s.key)
         FROM sources s JOIN governance g ON g.key = s.governance
         WHERE s.name = ?1 ORDER BY s.tenant",
    )?;
    let mut rows = statement.query([source.as_str()])?;
    let mut states = Vec::new();
    while let Some(row) = rows.next()? {
        let json: String = row.get(3)?;
        let units: i64 = row.get(4)?;
        states.push(SourceState {
            source: source.clone(),
            content_sha256: row.get(0)?,
            recipe_sha256: row.get(1)?,
            root: row.get(2)?,
            governance: governance::parse(&json)?,
            units: units as usize,
        });
    }
    Ok(states)
}

fn key(connection: &Connection, source: &TenantSource) -> Result<Option<SourceKey>, StoreError> {
    let tenant = governance::tenant_column(source.tenant.as_deref());
    Ok(connection
        .prepare_cached("SELECT key FROM sources WHERE tenant = ?1 AND name = ?2")?
        .query_row([tenant.as_str(), source.source.as_str()], |row| row.get(0))
        .optional()?)
}
