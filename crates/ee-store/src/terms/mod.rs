//! Text to index terms, the same way for documents and queries.
//!
//! Words are runs of letters, digits and combining marks. They are lower-cased, stripped of
//! diacritics and stemmed as English; text that is or may be German carries German stems besides. Chinese, Japanese
//! and Korean runs become single characters and pairs of neighbours; queries use the pairs.
//! Thai, Lao, Khmer and Burmese, which write no spaces either, are cut into words by dictionary.

mod language;
mod stop_words;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use language::Language;

/// Words longer than this, in bytes, are data rather than language; they are cut.
const MAX_TERM_BYTES: usize = 128;

/// Words whose stems are remembered, per thread.
const STEMS_KEPT: usize = 50_000;

/// The terms of a document, repeats included, in no particular order.
pub fn document_terms(text: &str) -> Vec<String> {
    let pieces = pieces(text);
    let language = Language::of(pieces.iter().filter_map(Piece::word));
    let mut terms = Vec::new();
    for piece in &pieces {
        match piece {
            Piece::Word(word) => terms.extend(document_stems(word, language)),
            Piece::Characters(run) => terms.extend(singles(run).chain(pairs(run))),
        }
    }
    terms
}

/// The distinct terms of a query, in its order. Function words are left out, unless it has
/// nothing else.
pub fn query_terms(text: &str) -> Vec<String> {
    let pieces = pieces(text);
    let language = Language::of(pieces.iter().filter_map(Piece::word));
    let says_nothing = |piece: &Piece| {
        piece
            .word()
            .is_some_and(|word| language.is_function_word(word))
    };
    let nothing_else = pieces.iter().all(says_nothing);
    let mut terms = Vec::new();
    for piece in pieces
        .iter()
        .filter(|piece| nothing_else || !says_nothing(piece))
    {
        match piece {
            Piece::Word(word) => terms.extend(query_stems(word, language)),
            Piece::Characters(run) if run.len() == 1 => terms.extend(singles(run)),
            Piece::Characters(run) => terms.extend(pairs(run)),
        }
    }
    let mut seen = HashSet::new();
    terms.retain(|term| seen.insert(term.clone()));
    terms
}

/// A stretch of text that becomes terms.
enum Piece {
    /// A word of a script that separates words, or one that a dictionary found; folded.
    Word(String),
    /// A run of a script whose words are not separated, as characters.
    Characters(Vec<char>),
}

impl Piece {
    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Characters(_) => None,
        }
    }
}

/// How a character takes part in words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Word,
    /// Part of a word in a script that a dictionary must cut.
    Dictionary,
    /// Chinese, Japanese, Korean.
    Character,
    /// White space, punctuation, symbols.
    Separator,
}

fn class(c: char) -> Class {
    match c {
        _ if c.is_ascii() => {
            if c.is_ascii_alphanumeric() {
                Class::Word
            } else {
                Class::Separator
            }
        }
        // Thai and Lao; Burmese with its extensions; Khmer.
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{a9e0}'..='\u{a9ff}'
        | '\u{aa60}'..='\u{aa7f}'
        | '\u{1780}'..='\u{17ff}' => Class::Dictionary,
        // Hangul letters and syllables; kana; Han with its extensions and compatibility forms.
        '\u{1100}'..='\u{11ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}'
            if c.is_alphanumeric() || c == 'ー' =>
        {
            Class::Character
        }
        _ if c.is_alphanumeric() || is_combining_mark(c) => Class::Word,
        _ => Class::Separator,
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    // Compatibility forms first: full-width letters and half-width kana are what they stand for.
    let plain: String;
    let text = if text.is_ascii() {
        text
    } else {
        plain = text.nfkc().collect();
        &plain
    };
    let mut pieces = Vec::new();
    let mut run = String::new();
    let mut run_class = Class::Separator;
    for c in text.chars() {
        let class = class(c);
        if class != run_class {
            finish_run(&mut pieces, run_class, &run);
            run.clear();
            run_class = class;
        }
        run.push(c);
    }
    finish_run(&mut pieces, run_class, &run);
    pieces
}

fn finish_run(pieces: &mut Vec<Piece>, class: Class, run: &str) {
    match class {
        Class::Word => push_word(pieces, run),
        Class::Dictionary => dictionary_words(run).for_each(|word| push_word(pieces, word)),
        Class::Character => pieces.push(Piece::Characters(run.chars().collect())),
        Class::Separator => {}
    }
}

fn push_word(pieces: &mut Vec<Piece>, word: &str) {
    let folded = fold(word);
    if !folded.is_empty() {
        pieces.push(Piece::Word(folded));
    }
}

fn dictionary_words(run: &str) -> impl Iterator<Item = &str> {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let mut start = 0;
    let ends: Vec<usize> = segmenter.segment_str(run).skip(1).collect();
    ends.into_iter().filter_map(move |end| {
        let word = run.get(start..end);
        start = end;
        word
    })
}

/// Lower case, without diacritics on Latin, Greek and Cyrillic letters, `ß` as `ss`.
fn fold(word: &str) -> String {
    let mut folded = if word.is_ascii() {
        word.to_ascii_lowercase()
    } else {
        let mut bare = String::with_capacity(word.len());
        for c in word.to_lowercase().nfd() {
            match c {
                // Combining diacritical marks; vowel signs of other scripts are letters to us.
                '\u{300}'..='\u{36f}' => {}
                'ß' => bare.push_str("ss"),
                'æ' => bare.push_str("ae"),
                'œ' => bare.push_str("oe"),
                'ø' => bare.push('o'),
                'ł' => bare.push('l'),
                'đ' => bare.push('d'),
                'ı' => bare.push('i'),
                _ => bare.push(c),
            }
        }
        bare.nfc().collect()
    };
    folded.truncate(folded.floor_char_boundary(MAX_TERM_BYTES));
    folded
}

fn singles(run: &[char]) -> impl Iterator<Item = String> {
    run.iter().map(char::to_string)
}

fn pairs(run: &[char]) -> impl Iterator<Item = String> {
    run.windows(2).map(|pair| pair.iter().collect())
}

/// The English stem, and the German one where the text may be German and the two differ.
fn document_stems(word: &str, language: Language) -> impl Iterator<Item = String> {
    let english = english_stem(word);
    let german = (language != Language::English)
        .then(|| german_stem(word))
        .filter(|german| *german != english);
    german.into_iter().chain([english])
}

/// The stem in the query's language; both where that is unclear.
fn query_stems(word: &str, language: Language) -> impl Iterator<Item = String> {
    let english = (language != Language::German).then(|| english_stem(word));
    let german = (language != Language::English).then(|| german_stem(word));
    english.into_iter().chain(german)
}

fn german_stem(word: &str) -> String {
    Stemmer::create(Algorithm::German).stem(word).into_owned()
}

/// The stem by the Snowball English algorithm. Stemming dominates indexing, and most words recur.
fn english_stem(word: &str) -> String {
    thread_local! {
        static STEMS: RefCell<HashMap<String, String>> = RefCell::default();
    }
    STEMS.with_borrow_mut(|stems| {
        if let Some(stem) = stems.get(word) {
            return stem.clone();
        }
        let stem = Stemmer::create(Algorithm::English).stem(word).into_owned();
        if stems.len() >= STEMS_KEPT {
            stems.clear();
        }
        stems.insert(word.to_owned(), stem.clone());
        stem
    })
}
