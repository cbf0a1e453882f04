//! Whether a text is German.

use super::stop_words::{is_english, is_german};

/// Whether the words, lower-cased and folded, read as German rather than English: more of the
/// words that only German uses for grammar than of those that only English uses.
pub(super) fn reads_as_german<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let (german, english) = words.fold((0_usize, 0_usize), |(german, english), word| {
        match (is_german(word), is_english(word)) {
            (true, false) => (german + 1, english),
            (false, true) => (german, english + 1),
            _ => (german, english),
        }
    });
    german > english
}
