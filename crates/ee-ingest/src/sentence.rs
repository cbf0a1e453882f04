//! Ends of sentences and words, in languages without spaces too.

use icu_segmenter::options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions};
use icu_segmenter::{SentenceSegmenter, SentenceSegmenterBorrowed, WordSegmenter};
use std::ops::Range;

use crate::patterns::{is_abbreviation, is_unspaced};

/// The sentences of a text, with the white space that follows them, covering all of it.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let segmenter: SentenceSegmenterBorrowed<'static> =
        SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in segmenter.segment_str(text) {
        if end > start && !is_abbreviation(text.get(start..end).unwrap_or_default()) {
            found.push(start..end);
            start = end;
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

/// The words of a text, each with the white space and marks that follow it, covering all of it.
pub(crate) fn words(text: &str) -> Vec<Range<usize>> {
    if has_unspaced(text) {
        dictionary_words(text)
    } else {
        spaced_words(text)
    }
}

/// The words of a text without the white space around them.
pub(crate) fn each_word<'a>(text: &'a str, mut take: impl FnMut(&'a str)) {
    if has_unspaced(text) {
        let words = dictionary_words(text).into_iter();
        words.filter_map(|word| text.get(word)).for_each(take);
    } else if text.is_ascii() {
        text.split_ascii_whitespace().for_each(take);
    } else {
        for word in text.split_whitespace() {
            take(word);
        }
    }
}

fn has_unspaced(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_unspaced)
}

fn spaced_words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut in_gap, mut has_word) = (0, false, false);
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            in_gap = true;
            continue;
        }
        if std::mem::take(&mut in_gap) && has_word {
            found.push(start..at);
            start = at;
        }
        has_word = true;
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

fn dictionary_words(text: &str) -> Vec<Range<usize>> {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut pieces = segmenter.segment_str(text).iter_with_word_type();
    // The first break is the start of the text.
    pieces.next();
    for (end, kind) in pieces {
        match found.last_mut() {
            Some(word) if !kind.is_word_like() => word.end = end,
            _ => found.push(start..end),
        }
        start = end;
    }
    found
}

/// Words in a text: what [`words`] finds.
pub(crate) fn count_words(text: &str) -> usize {
    words(text).len()
}
