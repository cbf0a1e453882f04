//! From a tag back to the units it stands for.

use ee_store::{AuditStore, OfferedUnit, Outcome, StoreError, StoredUnit, TurnRecord};
use km_core::{AccessScope, UnitId};

/// A unit that stood behind a tag in one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedUnit {
    /// The turn: question, time, everything that was offered, how it ended.
    pub turn: TurnRecord,
    /// The unit as it was offered then.
    pub offered: OfferedUnit,
    /// The tag as the answer shows it.
    pub tag: String,
    /// The unit as it is now; absent when it is gone, or no longer the caller's to see.
    pub now: Option<StoredUnit>,
}

/// Everything behind `tag` (8 to 64 hexadecimal digits) that the scope may see, latest turn
/// first. `find` looks a unit up as it is now, under the same scope.
///
/// # Errors
/// [`StoreError`] when the tag is malformed or the database refuses.
pub fn resolve_tag(
    audit: &dyn AuditStore,
    scope: &AccessScope,
    tag: &str,
    find: &dyn Fn(UnitId) -> Result<Option<StoredUnit>, StoreError>,
) -> Result<Vec<AuditedUnit>, StoreError> {
    let tag = tag.to_ascii_lowercase();
    let mut found = Vec::new();
    for turn in audit.turns_by_tag(scope, &tag)? {
        for (offered, tag) in behind(&turn, &tag) {
            let now = find(offered.unit)?;
            found.push(AuditedUnit {
                turn: turn.clone(),
                offered,
                tag,
                now,
            });
        }
    }
    Ok(found)
}

/// The elected units of a turn whose embedding the tag names.
fn behind(turn: &TurnRecord, tag: &str) -> Vec<(OfferedUnit, String)> {
    let Some(Outcome::Answered { elected, .. }) = &turn.outcome else {
        return Vec::new();
    };
    let offered = |rank: usize| turn.offered.iter().find(|unit| unit.rank == rank);
    elected
        .iter()
        .filter_map(|unit| Some((offered(unit.rank)?.clone(), unit.tag.clone())))
        .filter(|(unit, _)| unit.embedding_sha256.starts_with(tag))
        .collect()
}
