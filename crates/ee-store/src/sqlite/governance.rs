//! Governance records, stored once each.

use km_core::Governance;
use rusqlite::Connection;

use super::error::{from_json, to_json};
use crate::StoreError;

/// Row number of a governance record.
pub(super) type GovernanceKey = i64;

/// The row of this record, which is written where it is missing.
pub(super) fn intern(
    connection: &Connection,
    governance: &Governance,
) -> Result<GovernanceKey, StoreError> {
    let json = to_json("governance", governance)?;
    connection
        .prepare_cached("INSERT INTO governance (json) VALUES (?1) ON CONFLICT DO NOTHING")?
        .execute([&json])?;
    Ok(connection
        .prepare_cached("SELECT key FROM governance WHERE json = ?1")?
        .query_row([&json], |row| row.get(0))?)
}

/// The same for records of which many in a row are equal: the last one is remembered.
#[derive(Default)]
pub(super) struct Interner<'a> {
    last: Option<(&'a Governance, GovernanceKey)>,
}

impl<'a> Interner<'a> {
    pub(super) fn intern(
        &mut self,
        connection: &Connection,
        governance: &'a Governance,
    ) -> Result<GovernanceKey, StoreError> {
        match self.last {
            Some((last, key)) if last == governance => Ok(key),
            _ => {
                let key = intern(connection, governance)?;
                self.last = Some((governance, key));
                Ok(key)
            }
        }
    }
}

/// Reads a stored record.
pub(super) fn parse(json: &str) -> Result<Governance, StoreError> {
    from_json("governance", json)
}

/// Removes the record when nothing refers to it.
pub(super) fn release(connection: &Connection, key: GovernanceKey) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "DELETE FROM governance WHERE key = ?1
             AND NOT EXISTS (SELECT 1 FROM units WHERE governance = ?1)
             AND NOT EXISTS (SELECT 1 FROM sources WHERE governance = ?1)",
        )?
        .execute([key])?;
    Ok(())
}

/// A tenant as the tables hold it: empty for none, `=` and the name otherwise.
pub(super) fn tenant_column(tenant: Option<&str>) -> String {
    tenant.map(|name| format!("={name}")).unwrap_or_default()
}
