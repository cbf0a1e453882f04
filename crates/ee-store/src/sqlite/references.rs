//! Texts that name other sources.

use km_core::{Administrator, SourceId};
use rusqlite::{Connection, OptionalExtension};

use super::replace::SourceKey;
use super::{SqliteStore, governance, links, units};
use crate::{ReferenceStore, SourceWrite, StoreError, TenantSource, UnitWrite};

/// Tenant and name of each source with a name of another: by its text, by a tier's rule, or because
/// it supersedes it. The plain comparisons spare most rows the parsing of their JSON.
const REFERRING: &str = r#"
    SELECT s.tenant, s.name, r.value
    FROM units u JOIN sources s ON s.key = u.source, json_each(u.metadata, '$.references') r
    WHERE instr(u.metadata, '"references"') > 0
    UNION
    SELECT s.tenant, s.name, r.value
    FROM units u JOIN sources s ON s.key = u.source, json_each(u.metadata, '$.tier_rules') r
    WHERE instr(u.metadata, '"tier_rules"') > 0
    UNION
    SELECT s.tenant, s.name, r.value
    FROM sources s JOIN governance g ON g.key = s.governance, json_each(g.json, '$.supersedes') r
    WHERE instr(g.json, '"supersedes"') > 0
    ORDER BY 2, 1, 3"#;

impl ReferenceStore for SqliteStore {
    fn referring_sources(
        &self,
        _capability: Administrator,
    ) -> Result<Vec<(TenantSource, Vec<String>)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(REFERRING)?;
            let mut rows = statement.query([])?;
            let mut found: Vec<(TenantSource, Vec<String>)> = Vec::new();
            while let Some(row) = rows.next()? {
                let (tenant, name): (String, String) = (row.get(0)?, row.get(1)?);
                let tenant = tenant.strip_prefix('=').map(str::to_owned);
                let source = TenantSource {
                    tenant,
                    source: SourceId::new(name),
                };
                match found.last_mut() {
                    Some((last, names)) if *last == source => names.push(row.get(2)?),
                    _ => found.push((source, vec![row.get(2)?])),
                }
            }
            Ok(found)
        })
    }

    fn stored_source(
        &self,
        _capability: Administrator,
        source: &TenantSource,
    ) -> Result<Option<SourceWrite>, StoreError> {
        self.read(|connection| {
            let Some((key, mut write)) = source_row(connection, source)? else {
                return Ok(None);
            };
            let mut statement = connection.prepare_cached(&format!(
                "{} WHERE u.source = ?1 ORDER BY u.position",
                units::SELECT
            ))?;
            let mut rows = statement.query([key])?;
            while let Some(row) = rows.next()? {
                let unit: i64 = row.get(0)?;
                let links = links::of_unit(connection, unit as u64)?;
                write.units.push(UnitWrite {
                    unit: units::read(row, links)?.unit,
                    embedded_sha256: row.get(9)?,
                    embedding: None,
                });
            }
            Ok(Some(write))
        })
    }
}

/// A source without its units.
fn source_row(
    connection: &Connection,
    source: &TenantSource,
) -> Result<Option<(SourceKey, SourceWrite)>, StoreError> {
    let tenant = governance::tenant_column(source.tenant.as_deref());
    let row = connection
        .prepare_cached(
            "SELECT s.key, s.title, s.content_sha256, s.recipe_sha256, s.root, g.json
             FROM sources s JOIN governance g ON g.key = s.governance
             WHERE s.tenant = ?1 AND s.name = ?2",
        )?
        .query_row([tenant.as_str(), source.source.as_str()], |row| {
            let write = SourceWrite {
                source: source.source.clone(),
                title: row.get(1)?,
                governance: km_core::Governance::default(),
                content_sha256: row.get(2)?,
                recipe_sha256: row.get(3)?,
                root: row.get(4)?,
                units: Vec::new(),
            };
            Ok((row.get(0)?, write, row.get::<_, String>(5)?))
        })
        .optional()?;
    row.map(|(key, write, json)| {
        let governance = governance::parse(&json)?;
        Ok((
            key,
            SourceWrite {
                governance,
                ..write
            },
        ))
    })
    .transpose()
}
