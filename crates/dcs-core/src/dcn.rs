//! A Dynamic Context Node: a line of work within one conversation.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{DcsKey, DomainId, Intent, MessageId, MessageRecord};

/// Names a line of work within its conversation. Ids count up from 1; a smaller id is older.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DcnId(u32);

impl DcnId {
    /// The line of work with this number.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for DcnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The topic identifiers of a line of work: every intent and domain its messages had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topics {
    /// Intents.
    pub intents: BTreeSet<Intent>,
    /// Domains.
    pub domains: BTreeSet<DomainId>,
}

impl Topics {
    /// Takes over what `other` has.
    pub fn absorb(&mut self, other: &Self) {
        self.intents.extend(&other.intents);
        self.domains.extend(&other.domains);
    }

    /// Takes over the intents and domains of a key.
    pub(crate) fn absorb_key(&mut self, key: &DcsKey) {
        self.intents.extend(&key.intents);
        self.domains.extend(&key.domains);
    }

    /// Jaccard similarity over intents and domains as one set of typed labels, in 0 to 1.
    pub fn jaccard(&self, other: &Self) -> f64 {
        let common = self.intents.intersection(&other.intents).count()
            + self.domains.intersection(&other.domains).count();
        let all =
            self.intents.union(&other.intents).count() + self.domains.union(&other.domains).count();
        if all == 0 {
            1.0
        } else {
            common as f64 / all as f64
        }
    }
}

/// A line of work as it is stored. Its messages are found through the messages themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dcn {
    /// Its identifier.
    pub id: DcnId,
    /// Topic identifiers.
    pub topics: Topics,
    /// When it started.
    pub created: Timestamp,
    /// When it was last referenced.
    pub last_referenced: Timestamp,
    /// The last message linked to it.
    pub last_message: MessageId,
    /// The older line of work that it was merged into; such a node has no messages any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<DcnId>,
}

impl Dcn {
    /// A line of work that starts with a message.
    pub(crate) fn started(id: DcnId, message: &MessageRecord) -> Self {
        let mut topics = Topics::default();
        topics.absorb_key(&message.key);
        Self {
            id,
            topics,
            created: message.at,
            last_referenced: message.at,
            last_message: message.id,
            merged_into: None,
        }
    }
}
