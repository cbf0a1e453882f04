//! One spelling for text and patterns, so that they can be compared byte by byte.

use crate::terms::{is_unspaced, lower};

/// NFKC, lower case, typographic apostrophes as `'`, and every run of blanks as one space.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return unify(text.chars().map(|c| c.to_ascii_lowercase()), text.len());
    }
    unify(lower(text).chars(), text.len())
}

/// One spelling for apostrophes and blanks.
fn unify(lower: impl Iterator<Item = char>, length: usize) -> String {
    let mut folded = String::with_capacity(length);
    for c in lower {
        match c {
            '’' | '‘' => folded.push('\''),
            '\n' | '\r' => folded.push('\n'),
            c if c.is_whitespace() => {
                if !folded.ends_with([' ', '\n']) {
                    folded.push(' ');
                }
            }
            c => folded.push(c),
        }
    }
    folded
}

/// Whether the character is part of a word in a script that puts spaces between words.
pub(super) fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_unspaced(c)
}

/// Whether text ends in the middle of a word that `next` goes on with.
pub(super) fn joins(before: &str, next: &str) -> bool {
    before.chars().next_back().is_some_and(is_word) && next.chars().next().is_some_and(is_word)
}
