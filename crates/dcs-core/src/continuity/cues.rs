//! Cues in a message's words: does it ask, reply, greet, thank, or lean on what was said before.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::PatternFile;
use crate::terms::{TermHash, hash, words};

/// Words at the start of a message in which cues count.
const OPENING_WORDS: usize = 8;
/// A message of at most this many words is short.
const SHORT_WORDS: usize = 4;

/// The cue words of all languages, as hashes.
#[derive(Debug, Clone, Default)]
pub struct CueWords {
    lists: BTreeMap<String, BTreeSet<TermHash>>,
}

/// The cues of one message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "ten independent observations"
)]
pub struct Cues {
    /// A question mark.
    pub asks: bool,
    /// A question word opens it.
    pub question: bool,
    /// A pronoun or pointer among the opening words.
    pub anaphora: bool,
    /// A word of answer or continuation opens it.
    pub reply: bool,
    /// A greeting opens it.
    pub greeting: bool,
    /// Thanks among the opening words.
    pub thanks: bool,
    /// A word for everybody or anybody among the opening words.
    pub everyone: bool,
    /// A word for the one who is spoken to.
    pub second_person: bool,
    /// An address of a page or of a file.
    pub page_address: bool,
    /// Four words or fewer.
    pub short: bool,
    /// Words of somebody who looks for help.
    pub seeking: u16,
    /// Words of somebody who reacts.
    pub responding: u16,
    /// Number of words.
    pub words: u32,
}

impl Cues {
    /// ln(1 + number of words).
    pub(crate) fn log_words(&self) -> f64 {
        f64::from(self.words).ln_1p()
    }

    /// ln(1 + number of words that look for help).
    pub(crate) fn log_seeking(&self) -> f64 {
        f64::from(self.seeking).ln_1p()
    }

    /// ln(1 + number of words that react).
    pub(crate) fn log_responding(&self) -> f64 {
        f64::from(self.responding).ln_1p()
    }
}

impl CueWords {
    /// Collects the cue words of pattern files.
    pub fn new(files: &[PatternFile]) -> Self {
        let mut lists: BTreeMap<String, BTreeSet<TermHash>> = BTreeMap::new();
        for (cue, list) in files.iter().flat_map(|file| &file.cues) {
            let hashes = list
                .iter()
                .flat_map(|word| words(word))
                .map(|word| hash(&word));
            lists.entry(cue.clone()).or_default().extend(hashes);
        }
        Self { lists }
    }

    /// The cue words that come with this crate.
    ///
    /// # Errors
    /// [`crate::DcsError::PatternFile`]; the tests read the built-in files.
    pub fn built_in() -> Result<Self, crate::DcsError> {
        Ok(Self::new(&PatternFile::built_in()?))
    }

    /// Whether a term is so common that sharing it means nothing.
    pub(crate) fn is_common(&self, term: TermHash) -> bool {
        self.has("common", term)
    }

    /// The cues of a text.
    pub fn read(&self, text: &str) -> Cues {
        let words: Vec<TermHash> = words(text).iter().map(|word| hash(word)).collect();
        let within =
            |cue: &str, count: usize| words.iter().take(count).any(|word| self.has(cue, *word));
        Cues {
            asks: text.contains(['?', '？']),
            question: within("question", 1),
            anaphora: within("anaphora", OPENING_WORDS),
            reply: within("reply", 1),
            greeting: within("greeting", 2),
            thanks: within("thanks", OPENING_WORDS / 2),
            second_person: self.count("second_person", &words) > 0,
            seeking: self.count("seeking", &words),
            responding: self.count("responding", &words),
            everyone: within("everyone", OPENING_WORDS),
            page_address: text.contains("://") || text.contains("www."),
            short: words.len() <= SHORT_WORDS,
            words: u32::try_from(words.len()).unwrap_or(u32::MAX),
        }
    }

    fn count(&self, cue: &str, words: &[TermHash]) -> u16 {
        let list = self.lists.get(cue);
        let found = list.map_or(0, |list| {
            words.iter().filter(|word| list.contains(word)).count()
        });
        u16::try_from(found).unwrap_or(u16::MAX)
    }

    fn has(&self, cue: &str, term: TermHash) -> bool {
        self.lists.get(cue).is_some_and(|list| list.contains(&term))
    }
}
