//! Entities of the graph: what units hold for, and what callers are.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Attributes;

/// A value of an attribute, such as the region `APAC`. Units name entities in their governance
/// and metadata, callers in their identity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entity {
    /// The attribute.
    pub attribute: String,
    /// Its value.
    pub value: String,
}

impl Entity {
    /// The attribute whose values `tier_rule` names.
    pub const TIER: &str = "tier";

    /// A tier.
    pub fn tier(value: &str) -> Self {
        Self {
            attribute: Self::TIER.to_owned(),
            value: value.to_owned(),
        }
    }

    /// Every value of every attribute.
    pub fn all(attributes: &Attributes) -> impl Iterator<Item = Self> {
        attributes.iter().flat_map(|(attribute, values)| {
            values.iter().map(move |value| Self {
                attribute: attribute.clone(),
                value: value.clone(),
            })
        })
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.attribute, self.value)
    }
}
