//! Governance metadata: whose a unit is, who may see it, when it holds, and what it outranks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{KnowledgeError, SourceId, Timestamp};

/// Named attributes with sets of values, for example `region` → {`APAC`, `EMEA`}.
pub type Attributes = BTreeMap<String, BTreeSet<String>>;

/// Who may see a unit, when it holds, and what it outranks.
///
/// The default is public: no tenant, clearance 0, no attributes, valid always.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Governance {
    /// The tenant that owns the unit; absent means every tenant may see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The clearance a caller needs at least.
    pub clearance: u32,
    /// For every attribute named here the caller needs a value in the set; an empty set admits
    /// nobody.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: Attributes,
    /// The subject on which sources compete, for example `finance.travel.meal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<DomainPath>,
    /// Rank among sources of one domain; 1 is the highest, absent ranks below every number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority_tier: Option<NonZeroU32>,
    /// The version, compared in natural order; empty when the source states none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// When the unit holds.
    #[serde(flatten)]
    pub validity: Validity,
    /// Sources that this one replaces wherever it is visible.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub supersedes: BTreeSet<SourceId>,
}

/// A half-open interval of time, `effective_from ≤ t < expires_at`; an absent end is unbounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Validity {
    /// First instant at which the unit holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_from: Option<Timestamp>,
    /// First instant at which it no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Validity {
    /// An interval.
    ///
    /// # Errors
    /// [`KnowledgeError::InvertedInterval`] when the end is not after the start.
    pub fn new(
        effective_from: Option<Timestamp>,
        expires_at: Option<Timestamp>,
    ) -> Result<Self, KnowledgeError> {
        match (effective_from, expires_at) {
            (Some(from), Some(until)) if until <= from => {
                Err(KnowledgeError::InvertedInterval { from, until })
            }
            _ => Ok(Self {
                effective_from,
                expires_at,
            }),
        }
    }

    /// Whether the interval contains `at`.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.effective_from.is_none_or(|from| from <= at)
            && self.expires_at.is_none_or(|until| at < until)
    }
}

/// A dotted path such as `finance.travel.meal`: segments of letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DomainPath(String);

impl DomainPath {
    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DomainPath {
    type Err = KnowledgeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |reason| KnowledgeError::Domain {
            found: text.to_owned(),
            reason,
        };
        for segment in text.split('.') {
            if segment.is_empty() {
                return Err(wrong("a segment is empty"));
            }
            if !segment
                .chars()
                .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
            {
                return Err(wrong("segments hold letters, digits, `-` and `_`"));
            }
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for DomainPath {
    type Error = KnowledgeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<DomainPath> for String {
    fn from(path: DomainPath) -> Self {
        path.0
    }
}

impl fmt::Display for DomainPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
