//! Assigns intents and domains to a message.

use std::collections::BTreeSet;

use crate::{DomainId, Intent};

/// What a classifier found in a message. No intent found means CHAT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// One or more intents.
    pub intents: BTreeSet<Intent>,
    /// Any number of domains.
    pub domains: BTreeSet<DomainId>,
}

/// Assigns intents and domains to a message.
pub trait Classifier: Send + Sync {
    /// The labels of `text`. The same text gives the same labels.
    fn classify(&self, text: &str) -> Labels;
}
