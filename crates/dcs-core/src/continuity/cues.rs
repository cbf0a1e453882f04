//! Cues in a message's words: does it ask, reply, greet, thank, or lean on what was said before.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::PatternFile;
use crate::terms::{TermHash, word_hashes};

/// Words at the start of a message in which cues count.
const OPENING_WORDS: usize = 8;
/// A message of at most this many words is short.
const SHORT_WORDS: usize = 4;

/// What a word can be a cue for.
#[derive(Clone, Copy)]
enum Cue {
    Question,
    Anaphora,
    Reply,
    Greeting,
    Thanks,
    SecondPerson,
    Seeking,
    Responding,
    Everyone,
    Common,
}

impl Cue {
    fn named(name: &str) -> Option<Self> {
        match name {
            "question" => Some(Self::Question),
            "anaphora" => Some(Self::Anaphora),
            "reply" => Some(Self::Reply),
            "greeting" => Some(Self::Greeting),
            "thanks" => Some(Self::Thanks),
            "second_person" => Some(Self::SecondPerson),
            "seeking" => Some(Self::Seeking),
            "responding" => Some(Self::Responding),
            "everyone" => Some(Self::Everyone),
            "common" => Some(Self::Common),
            _ => None,
        }
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The cue words of all languages.
#[derive(Debug, Clone, Default)]
pub struct CueWords {
    /// What each word is a cue for, one bit per cue.
    cues: FxHashMap<TermHash, u16>,
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
        let mut cues: FxHashMap<TermHash, u16> = FxHashMap::default();
        for (name, list) in files.iter().flat_map(|file| &file.cues) {
            let Some(cue) = Cue::named(name) else {
                continue;
            };
            for word in list.iter().flat_map(|entry| word_hashes(entry)) {
                *cues.entry(word).or_default() |= cue.bit();
            }
        }
        Self { cues }
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
        self.has(Cue::Common, term)
    }

    /// The cues of a text.
    pub fn read(&self, text: &str) -> Cues {
        self.read_words(text, &word_hashes(text))
    }

    /// The same, where the words of the text are at hand.
    pub(crate) fn read_words(&self, text: &str, words: &[TermHash]) -> Cues {
        let within =
            |cue: Cue, count: usize| words.iter().take(count).any(|word| self.has(cue, *word));
        Cues {
            asks: text.contains(['?', '？']),
            question: within(Cue::Question, 1),
            anaphora: within(Cue::Anaphora, OPENING_WORDS),
            reply: within(Cue::Reply, 1),
            greeting: within(Cue::Greeting, 2),
            thanks: within(Cue::Thanks, OPENING_WORDS / 2),
            second_person: self.count(Cue::SecondPerson, words) > 0,
            seeking: self.count(Cue::Seeking, words),
            responding: self.count(Cue::Responding, words),
            everyone: within(Cue::Everyone, OPENING_WORDS),
            page_address: text.contains("://") || text.contains("www."),
            short: words.len() <= SHORT_WORDS,
            words: u32::try_from(words.len()).unwrap_or(u32::MAX),
        }
    }

    fn count(&self, cue: Cue, words: &[TermHash]) -> u16 {
        let found = words.iter().filter(|word| self.has(cue, **word));
        u16::try_from(found.count()).unwrap_or(u16::MAX)
    }

    fn has(&self, cue: Cue, term: TermHash) -> bool {
        self.cues
            .get(&term)
            .is_some_and(|cues| cues & cue.bit() > 0)
    }
}
