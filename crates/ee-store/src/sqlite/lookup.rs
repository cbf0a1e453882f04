//! Finding a unit by its id or the beginning of it.

use km_core::{AccessScope, UnitId};
use rusqlite::Connection;

use super::SqliteStore;
use super::directory::View;
use super::units::{in_view, unit_id};
use crate::{StoreError, StoredUnit, UnitKey};

/// How many candidates an ambiguous prefix lists.
const LISTED: usize = 10;

impl SqliteStore {
    /// The unit whose id starts with `prefix` (1 to 32 hexadecimal digits of either case), among
    /// those that the scope may see.
    ///
    /// # Errors
    /// [`StoreError::UnitPrefix`] for anything else, [`StoreError::AmbiguousPrefix`] when several
    /// visible units fit.
    pub fn unit_by_prefix(
        &self,
        scope: &AccessScope,
        prefix: &str,
    ) -> Result<Option<StoredUnit>, StoreError> {
        let (first, last) = range(prefix)?;
        self.read(|connection| {
            let view = self.view(connection, scope)?;
            let found = keys_between(connection, first, last, &view)?;
            match found.as_slice() {
                [] => Ok(None),
                [(key, _)] => in_view(connection, *key, &view),
                several => Err(StoreError::AmbiguousPrefix {
                    prefix: prefix.to_owned(),
                    candidates: several.iter().map(|(_, id)| *id).collect(),
                }),
            }
        })
    }
}

/// The least and the greatest id with this prefix.
fn range(prefix: &str) -> Result<(UnitId, UnitId), StoreError> {
    let wrong = || StoreError::UnitPrefix {
        found: prefix.to_owned(),
    };
    if !prefix.bytes().all(|byte| byte.is_ascii_hexdigit()) || !(1..=32).contains(&prefix.len()) {
        return Err(wrong());
    }
    let bound = |digit: &str| {
        let missing = 32_usize.saturating_sub(prefix.len());
        format!("{prefix}{}", digit.repeat(missing))
            .parse()
            .map_err(|_| wrong())
    };
    Ok((bound("0")?, bound("f")?))
}

fn keys_between(
    connection: &Connection,
    first: UnitId,
    last: UnitId,
    view: &View,
) -> Result<Vec<(UnitKey, UnitId)>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT key, id FROM units WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
    let mut rows = statement.query([first.as_bytes().as_slice(), last.as_bytes().as_slice()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(0)?;
        let id: Vec<u8> = row.get(1)?;
        if view.contains(key as u64) && found.len() < LISTED {
            found.push((key as u64, unit_id(&id)?));
        }
    }
    Ok(found)
}
