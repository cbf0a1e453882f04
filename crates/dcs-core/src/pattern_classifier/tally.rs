//! What the matches in a text add up to.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::{DomainId, Intent, Labels};

/// What a pattern stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    /// An intent.
    Intent(Intent),
    /// A domain.
    Domain(DomainId),
}

/// A pattern as the matches see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// What it stands for.
    pub(super) label: Label,
    /// It speaks against the label.
    pub(super) exception: bool,
    /// How many parts must be found, in their order.
    pub(super) parts: usize,
}

/// An admitted match of one part of a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// The rule's place among all rules.
    pub(super) rule: usize,
    /// Which part of it.
    pub(super) part: usize,
    /// The sentence.
    pub(super) sentence: usize,
    /// Where the match starts, in bytes.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
}

/// Matches added up by label and sentence.
#[derive(Default)]
pub(super) struct Tally {
    progress: FxHashMap<usize, Progress>,
    evidence: BTreeMap<(Label, usize), Evidence>,
}

/// How far a rule of several parts has come.
#[derive(Clone, Copy, Default)]
struct Progress {
    sentence: usize,
    parts: usize,
    end: usize,
    bytes: usize,
}

/// The longest match for a label and the longest one against it, in bytes.
#[derive(Clone, Copy, Default)]
struct Evidence {
    pro: usize,
    contra: usize,
}

impl Evidence {
    /// The more specific one decides: an exception is outweighed by a longer pattern.
    fn holds(self) -> bool {
        self.pro > self.contra
    }
}

impl Tally {
    /// Takes in a match. Matches come in the order of their ends.
    pub(super) fn add(&mut self, rule: Rule, found: Found) {
        if let Some(bytes) = self.advance(rule, found) {
            let place = (rule.label, found.sentence);
            let evidence = self.evidence.entry(place).or_default();
            let side = if rule.exception {
                &mut evidence.contra
            } else {
                &mut evidence.pro
            };
            *side = bytes.max(*side);
        }
    }

    /// The matched length of the whole rule, once its last part is found.
    fn advance(&mut self, rule: Rule, found: Found) -> Option<usize> {
        let length = found.end.saturating_sub(found.start);
        if rule.parts == 1 {
            return Some(length);
        }
        let progress = self.progress.entry(found.rule).or_default();
        if progress.sentence != found.sentence {
            *progress = Progress::default();
        }
        if progress.parts != found.part || found.start < progress.end {
            return None;
        }
        *progress = Progress {
            sentence: found.sentence,
            parts: found.part + 1,
            end: found.end,
            bytes: progress.bytes + length,
        };
        (progress.parts == rule.parts).then_some(progress.bytes)
    }

    /// The labels that hold in at least one sentence. CHAT is what remains without another intent.
    pub(super) fn labels(&self) -> Labels {
        let mut labels = Labels {
            intents: BTreeSet::new(),
            domains: BTreeSet::new(),
        };
        for &(label, sentence) in self.evidence.keys() {
            match label {
                _ if !self.holds(label, sentence) => false,
                Label::Intent(intent) => labels.intents.insert(intent),
                Label::Domain(domain) => labels.domains.insert(domain),
            };
        }
        if labels.intents.len() > 1 {
            labels.intents.remove(&Intent::Chat);
        }
        if labels.intents.is_empty() {
            labels.intents.insert(Intent::Chat);
        }
        labels
    }

    /// A question about what was meant is CLARIFICATION and not QUERY.
    fn holds(&self, label: Label, sentence: usize) -> bool {
        let holds = |label| {
            let evidence = self.evidence.get(&(label, sentence));
            evidence.is_some_and(|evidence| evidence.holds())
        };
        let gives_way =
            label == Label::Intent(Intent::Query) && holds(Label::Intent(Intent::Clarification));
        holds(label) && !gives_way
    }
}
