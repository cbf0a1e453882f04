//! Messages as they come in and as they are kept.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Addresses, Cues, DcnId, DcsKey, QuantizedVector, TermSet};

/// Position of a message in its conversation, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(u32);

impl MessageId {
    /// The message at this position; four bytes hold it, so positions from 2³² on, which no memory
    /// has room for, count as 2³² - 1.
    pub fn new(position: u64) -> Self {
        Self(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// The position, from 0.
    #[inline]
    pub fn position(self) -> u64 {
        u64::from(self.0)
    }

    /// The position as an index into memory.
    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A message that has just been said.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    /// Who said it, by name or role; empty when unknown.
    pub speaker: &'a str,
    /// What was said.
    pub text: &'a str,
    /// When it was said.
    pub at: Timestamp,
    /// Its cost in tokens, for the budget of an assembly.
    pub tokens: u32,
    /// Its embedding, where an embedder is at hand: any length above 0, the same in the whole
    /// conversation. It need not be normalised.
    pub embedding: Option<&'a [f32]>,
}

/// What is kept of a message. Its text stays with the caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageRecord {
    /// Its position.
    pub id: MessageId,
    /// Who said it; messages of one speaker share the name.
    pub speaker: Arc<str>,
    /// When it was said.
    pub at: Timestamp,
    /// Its cost in tokens.
    pub tokens: u32,
    /// Its key. After a merge the key in memory names the older line of work.
    pub key: DcsKey,
    /// Its content terms.
    pub terms: TermSet,
    /// Cues in its words.
    pub cues: Cues,
    /// Whom it speaks to.
    #[serde(default, skip_serializing_if = "Addresses::is_empty")]
    pub addresses: Addresses,
    /// How likely it continues which lines of work, as its scorer saw it: at most four.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memberships: Vec<(DcnId, f64)>,
    /// Influence of the messages just before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub influences: Vec<SoftLink>,
    /// Fingerprints of the functions in its code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<u64>,
    /// Its embedding, unit length, one byte a component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<QuantizedVector>,
}

/// The influence of an earlier message on the one that holds the link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoftLink {
    /// The earlier message.
    pub from: MessageId,
    /// Influence, above 0 and at most 1.
    pub weight: f64,
}
