//! The knowledge unit and its links.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Attributes, Governance, KnowledgeError, UnitId};

/// Names a source: a path relative to the registered root with `/` between its parts, or an id
/// that the caller gives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceId(String);

impl SourceId {
    /// A source of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnitKind {
    /// Running text under a heading, or without one.
    Section,
    /// A table or a piece of one, its header repeated.
    Table,
    /// A term and what it means.
    Definition,
    /// One or more steps of an ordered instruction.
    Step,
    /// A clause that obliges, permits or forbids.
    Rule,
    /// Source code.
    Code,
    /// A message of a conversation.
    Message,
}

/// How one unit relates to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// The unit that follows in the source.
    Next,
    /// The unit before it.
    Previous,
    /// The unit that heads the section this one stands in.
    Parent,
    /// The target is a use of what this unit defines.
    Defines,
    /// This unit points at the target.
    References,
    /// This unit replaces the target.
    Supersedes,
    /// This unit holds for the entity that the target describes.
    AppliesTo,
    /// The target gives this unit's rule for one tier.
    TierRule,
}

macro_rules! named {
    ($type:ident, $what:literal, $names:literal, $($name:literal => $variant:ident),+ $(,)?) => {
        impl $type {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used in files, databases and output.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl FromStr for $type {
            type Err = KnowledgeError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(KnowledgeError::UnknownName {
                        what: $what, expected: $names, found: text.to_owned(),
                    }),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named!(UnitKind, "a unit kind", "section, table, definition, step, rule, code, message",
    "section" => Section, "table" => Table, "definition" => Definition, "step" => Step,
    "rule" => Rule, "code" => Code, "message" => Message);
named!(LinkKind, "a link kind",
    "next, previous, parent, defines, references, supersedes, applies_to, tier_rule",
    "next" => Next, "previous" => Previous, "parent" => Parent, "defines" => Defines,
    "references" => References, "supersedes" => Supersedes, "applies_to" => AppliesTo,
    "tier_rule" => TierRule);

/// A typed edge from the unit that holds it to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// How the two relate.
    pub kind: LinkKind,
    /// The unit it leads to.
    pub target: UnitId,
}

/// A range of bytes of the original file, its end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ByteSpan {
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

/// Where a unit stands in its source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnitMetadata {
    /// Title of the source, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The headings above the unit, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub section_path: Vec<String>,
    /// Where the text leads beyond its source: names of sources, each followed by `#` and an
    /// anchor where it names a heading.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The entities that the unit holds for, by attribute name, for example `region` → {`APAC`}.
    /// Unlike [`Governance::attributes`] they restrict nobody.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub applies_to: Attributes,
    /// Where the rule of each tier stands, by value of the attribute `tier`: the name of a source,
    /// followed by `#` and an anchor where it names a heading.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tier_rules: BTreeMap<String, String>,
    /// Page number from 1, in formats that have pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The unit's bytes in the original file; absent where the format has no such place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<ByteSpan>,
    /// Programming or natural language as a short name, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Who spoke, in a Message unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When it was said, in a Message unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said_at: Option<crate::Timestamp>,
}

/// A piece of knowledge: one concept, small enough for the embedder's window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// Stable id, see [`UnitId`].
    pub id: UnitId,
    /// The source it comes from.
    pub source: SourceId,
    /// What it is.
    pub kind: UnitKind,
    /// Its text in canonical form.
    pub content: String,
    /// About 25 tokens that say what it is about, made when it is stored.
    pub summary: String,
    /// Where it stands in its source.
    pub metadata: UnitMetadata,
    /// Who may see it, when it holds, and its version.
    pub governance: Governance,
    /// Edges to other units.
    pub links: Vec<Link>,
}
