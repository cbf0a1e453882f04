//! The classifier that goes by word patterns.

mod builder;
mod folding;
mod pattern;
mod sentence;
mod tally;

use std::sync::{Arc, OnceLock};

use aho_corasick::AhoCorasick;

use crate::{Classifier, DcsError, Labels, PatternFile};

use builder::Builder;
use folding::fold;
use pattern::{Around, Place};
use sentence::{Openings, Sentences};
use tally::{Found, Rule, Tally};

/// Finds intents and domains by word patterns, all languages at once, in one pass over the text.
///
/// Patterns and exceptions are weighed sentence by sentence: a label holds where its longest match
/// is longer than the longest match of its exceptions. CHAT stands only where no other intent does.
/// Copies share what was compiled.
#[derive(Clone)]
pub struct PatternClassifier {
    automaton: AhoCorasick,
    /// By pattern of the automaton.
    uses: Arc<[Vec<Use>]>,
    rules: Arc<[Rule]>,
    openings: Arc<Openings>,
}

/// The part of a rule that a needle fulfils, and where it must stand for that.
#[derive(Debug, Clone)]
struct Use {
    rule: usize,
    part: usize,
    around: Option<Arc<Around>>,
    place: Place,
}

impl PatternClassifier {
    /// Compiles pattern files.
    ///
    /// # Errors
    /// [`DcsError::Pattern`] or [`DcsError::Domain`] names the entry that cannot be used.
    pub fn new(files: &[PatternFile]) -> Result<Self, DcsError> {
        let mut builder = Builder::default();
        for file in files {
            builder.add_file(file)?;
        }
        builder.build(Openings::of(files))
    }

    /// A classifier with the patterns that come with this crate, which are compiled once.
    ///
    /// # Errors
    /// Those of [`PatternClassifier::new`]; the tests compile the built-in files.
    pub fn built_in() -> Result<Self, DcsError> {
        static BUILT_IN: OnceLock<PatternClassifier> = OnceLock::new();
        if let Some(known) = BUILT_IN.get() {
            return Ok(known.clone());
        }
        let compiled = Self::new(&PatternFile::built_in()?)?;
        Ok(BUILT_IN.get_or_init(|| compiled).clone())
    }

    /// Adds up what one needle, found from `start` to `end`, is used for.
    fn count(&self, uses: &[Use], text: &str, found: Found, tally: &mut Tally) {
        for used in uses {
            let word = (found.start, found.end);
            let whole = match &used.around {
                None => Some(word),
                Some(around) => around.extend(text, word.0, word.1),
            };
            let Some((start, end)) = whole else {
                continue;
            };
            let admitted = used.place.admits(text, start, end, &self.openings);
            if let Some(rule) = self.rules.get(used.rule).filter(|_| admitted) {
                let (number, part) = (used.rule, used.part);
                tally.add(
                    *rule,
                    Found {
                        rule: number,
                        part,
                        start,
                        end,
                        ..found
                    },
                );
            }
        }
    }
}

impl Classifier for PatternClassifier {
    fn classify(&self, text: &str) -> Labels {
        let text = fold(text);
        let sentences = Sentences::of(&text);
        let mut tally = Tally::default();
        for needle in self.automaton.find_overlapping_iter(&text) {
            let uses = self.uses.get(needle.pattern().as_usize());
            let found = Found {
                rule: 0,
                part: 0,
                sentence: sentences.number_at(needle.start()),
                start: needle.start(),
                end: needle.end(),
            };
            self.count(uses.map_or(&[], Vec::as_slice), &text, found, &mut tally);
        }
        tally.labels()
    }
}
