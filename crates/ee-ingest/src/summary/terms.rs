//! Words as numbers, so that no text is copied to count them.

use std::hash::Hasher;
use std::sync::LazyLock;

use rustc_hash::{FxHashSet, FxHasher};

use crate::patterns::common_words;
use crate::sentence::each_word;

/// A word without regard to case, as a hash.
pub(super) type Term = u64;

static COMMON_WORDS: LazyLock<FxHashSet<Term>> =
    LazyLock::new(|| common_words().map(term).collect());

/// Whether the word carries no meaning of its own.
pub(super) fn is_common(term: Term) -> bool {
    COMMON_WORDS.contains(&term)
}

/// Hands over the words of a text in reading order.
pub(super) fn each_term(text: &str, mut take: impl FnMut(Term)) {
    each_word(text, |word| {
        let word = bare(word);
        if !word.is_empty() {
            take(term(word));
        }
    });
}

/// The word without the marks around it.
fn bare(word: &str) -> &str {
    if !word.is_ascii() {
        return word.trim_matches(|c: char| !c.is_alphanumeric());
    }
    let letters = word.as_bytes();
    let start = letters.iter().position(u8::is_ascii_alphanumeric);
    let end = letters.iter().rposition(u8::is_ascii_alphanumeric);
    start
        .zip(end)
        .and_then(|(start, end)| word.get(start..=end))
        .unwrap_or_default()
}

fn term(word: &str) -> Term {
    let mut hash = FxHasher::default();
    if word.is_ascii() {
        for part in word.as_bytes().chunks(8) {
            let mut folded = [0; 8];
            for (to, from) in folded.iter_mut().zip(part) {
                *to = from.to_ascii_lowercase();
            }
            hash.write_u64(u64::from_le_bytes(folded));
        }
    } else {
        for c in word.chars().flat_map(char::to_lowercase) {
            hash.write_u32(c.into());
        }
    }
    hash.finish()
}
