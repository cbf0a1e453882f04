//! On whose behalf something is read.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Attributes, Governance, SourceId, Timestamp};

/// Who is asking: tenant, clearance and attributes.
///
/// The default caller has no tenant, clearance 0 and no attributes, and sees what is public.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Identity {
    /// The caller's tenant; absent sees only what belongs to no tenant.
    pub tenant: Option<String>,
    /// What the caller is cleared for.
    pub clearance: u32,
    /// What the caller is: region, tier, and the like.
    pub attributes: Attributes,
}

impl Identity {
    /// The plain rule: tenant absent or equal, clearance enough, and for every attribute the unit
    /// names a value of the caller's in the unit's set. Says nothing about time or conflicts.
    pub fn may_see(&self, governance: &Governance) -> bool {
        let tenant = governance.tenant.is_none() || governance.tenant == self.tenant;
        tenant
            && governance.clearance <= self.clearance
            && governance.attributes.iter().all(|(name, allowed)| {
                self.attributes
                    .get(name)
                    .is_some_and(|held| held.iter().any(|value| allowed.contains(value)))
            })
    }
}

/// A reading on somebody's behalf: who asks, and for which moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AccessScope {
    /// Who asks.
    pub identity: Identity,
    /// The moment at which validity is judged.
    pub at: Timestamp,
    /// Sources that are left out as if they were not there: what they supersede shows again.
    pub without: BTreeSet<SourceId>,
}

impl AccessScope {
    /// A scope for `identity` at the moment `at`.
    pub fn new(identity: Identity, at: Timestamp) -> Self {
        Self {
            identity,
            at,
            without: BTreeSet::new(),
        }
    }

    /// The same scope without these sources.
    #[must_use]
    pub fn without(mut self, sources: impl IntoIterator<Item = SourceId>) -> Self {
        self.without.extend(sources);
        self
    }

    /// The plain rule and the validity interval. Conflicts between sources are resolved apart.
    pub fn admits(&self, governance: &Governance) -> bool {
        governance.validity.contains(self.at) && self.identity.may_see(governance)
    }
}

/// The capability to see everything: rebuilding, re-embedding, complete export.
///
/// It is never made on a caller's behalf: only the command line and the program that embeds these
/// crates make one, and functions that take it say so in their signature.
#[derive(Debug, Clone, Copy)]
pub struct Administrator(());

impl Administrator {
    /// Assumes the capability. The name is meant to be searched for in review.
    pub fn assume() -> Self {
        Self(())
    }
}
