//! What a source relates to beside what its text names.

use std::collections::BTreeMap;

use km_core::Attributes;
use serde::{Deserialize, Serialize};

/// What metadata says a source relates to; it reaches every unit of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Relations {
    /// The entities that it holds for, see [`km_core::UnitMetadata::applies_to`].
    pub applies_to: Attributes,
    /// Where each tier's rule stands, see [`km_core::UnitMetadata::tier_rules`].
    pub tier_rules: BTreeMap<String, String>,
}
