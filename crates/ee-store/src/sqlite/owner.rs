//! Whose a conversation or a turn is, and who else may read it.

use km_core::Identity;

use super::error::{from_json, to_json};
use crate::StoreError;

/// Whether `caller` may read what `owner` wrote: same tenant, at least its clearance, and every
/// attribute value that it had.
pub(super) fn covers(caller: &Identity, owner: &Identity) -> bool {
    caller.tenant == owner.tenant
        && caller.clearance >= owner.clearance
        && owner.attributes.iter().all(|(name, values)| {
            values.is_empty()
                || caller
                    .attributes
                    .get(name)
                    .is_some_and(|held| held.is_superset(values))
        })
}

/// The owner of something that both wrote to: what either of them may have seen is in it.
pub(super) fn joined(one: &Identity, other: &Identity) -> Identity {
    let mut owner = one.clone();
    owner.clearance = owner.clearance.max(other.clearance);
    for (name, values) in &other.attributes {
        let held = owner.attributes.entry(name.clone()).or_default();
        held.extend(values.iter().cloned());
    }
    owner
}

pub(super) fn write(owner: &Identity) -> Result<String, StoreError> {
    to_json("identity", owner)
}

pub(super) fn parse(json: &str) -> Result<Identity, StoreError> {
    from_json("identity", json)
}
