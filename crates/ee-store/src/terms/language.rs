//! Whether a text is English or German, as far as its function words tell.

use std::cmp::Ordering;

use super::stop_words::{is_english, is_german};

/// What the function words of a text say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// More words that only English uses for grammar, or another language altogether.
    English,
    /// More words that only German uses for grammar.
    German,
    /// As many of both; often none, as in a few words of a query.
    Unclear,
}

impl Language {
    /// Judges by the words of a text, lower-cased and folded.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let (german, english) = words.fold((0_usize, 0_usize), |(german, english), word| {
            match (is_german(word), is_english(word)) {
                (true, false) => (german + 1, english),
                (false, true) => (german, english + 1),
                _ => (german, english),
            }
        });
        match german.cmp(&english) {
            Ordering::Less => Self::English,
            Ordering::Greater => Self::German,
            Ordering::Equal => Self::Unclear,
        }
    }

    /// Whether a word says nothing about what a text of this language is about.
    pub(super) fn is_function_word(self, word: &str) -> bool {
        is_english(word) || (self == Self::German && is_german(word))
    }
}
