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
    reason = "seven independent observations"
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
    /// Four words or fewer.
    pub short: bool,
    /// Number of words.
    pub words: u32,
}

impl Cues {
    /// ln(1 + number of words).
    pub(crate) fn log_words(&self) -> f64 {
        f64::from(self.words).ln_1p()
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
            short: words.len() <= SHORT_WORDS,
            words: u32::try_from(words.len()).unwrap_or(u32::MAX),
        }
    }

    fn has(&self, cue: &str, term: TermHash) -> bool {
        self.lists.get(cue).is_some_and(|list| list.contains(&term))
    }
}
