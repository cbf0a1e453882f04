//! The content terms of a text, as small hashes that are the same on every machine.

use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::CueWords;

/// A term: the 32 low bits of the FNV-1a hash (64 bits) of its lower-case NFKC form.
pub type TermHash = u32;

/// Distinct terms that are kept per message.
const MAX_TERMS: usize = 96;

/// The distinct terms of a text, sorted, at most 96 (the first ones of the text).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TermSet(Box<[TermHash]>);

impl TermSet {
    /// Collects the terms of `text`: words, identifiers, and pairs of ideographs, without the
    /// common ones.
    pub fn of(text: &str, cue_words: &CueWords) -> Self {
        Self::of_words(&word_hashes(text), cue_words)
    }

    /// The same for the words of a text.
    pub(crate) fn of_words(words: &[TermHash], cue_words: &CueWords) -> Self {
        let mut terms = Vec::with_capacity(words.len().min(MAX_TERMS));
        for term in words {
            if terms.len() >= MAX_TERMS {
                break;
            }
            if !cue_words.is_common(*term) && !terms.contains(term) {
                terms.push(*term);
            }
        }
        terms.sort_unstable();
        Self(terms.into())
    }

    /// The terms of both, at most twice 96.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut all: Vec<TermHash> = self.iter().chain(other.iter()).collect();
        all.sort_unstable();
        all.dedup();
        Self(all.into())
    }

    /// The terms, ascending.
    pub fn iter(&self) -> impl Iterator<Item = TermHash> + '_ {
        self.0.iter().copied()
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `term` is among them.
    pub fn contains(&self, term: TermHash) -> bool {
        self.0.binary_search(&term).is_ok()
    }
}

/// NFKC and lower case, character by character.
pub(crate) fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.chars().flat_map(char::to_lowercase).collect(),
        _ => text.nfkc().flat_map(char::to_lowercase).collect(),
    }
}

/// The words of a text in order, as hashes: lower-case words of two or more characters, and pairs
/// of neighbouring ideographs.
pub(crate) fn word_hashes(text: &str) -> Vec<TermHash> {
    let mut hashes = Vec::with_capacity(text.len() / 6);
    each_word(&lower(text), |word| hashes.push(hash(word)));
    hashes
}

/// Calls `take` with every word of a text in lower case.
fn each_word(lower: &str, mut take: impl FnMut(&str)) {
    for run in lower.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if !run.is_ascii() && run.chars().any(is_unspaced) {
            each_pair(run, &mut take);
        } else if run.chars().nth(1).is_some() {
            take(run);
        }
    }
}

fn each_pair(run: &str, take: &mut impl FnMut(&str)) {
    let ends = run.char_indices().map(|(start, c)| start + c.len_utf8());
    for ((start, _), end) in run.char_indices().zip(ends.skip(1)) {
        take(run.get(start..end).unwrap_or_default());
    }
}

/// Whether a character belongs to a script that writes words without spaces between them:
/// Chinese, Japanese, Thai, Lao, Khmer, Burmese.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x2E80..=0x2FDF
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x2_0000..=0x3_FFFF)
}

pub(crate) fn hash(word: &str) -> TermHash {
    fnv1a(word.bytes()) as TermHash
}

/// FNV-1a with 64 bits, <https://datatracker.ietf.org/doc/draft-eastlake-fnv/>.
pub(crate) fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        assert_eq!(fnv1a("".bytes()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a".bytes()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
    }

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(&lower(text), |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn words_of_every_script_are_found() {
        assert_eq!(words("Fix config.rs, NOW!"), ["fix", "config", "rs", "now"]);
        assert_eq!(words("数据库连接"), ["数据", "据库", "库连", "连接"]);
        assert_eq!(words("Größe ＡＢＣ"), ["größe", "abc"]);
        assert!(words("🎉 a !").is_empty());
    }
}
