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
    if text.chars().any(is_unspaced) {
        dictionary_words(text)
    } else {
        spaced_words(text)
    }
}

fn spaced_words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_gap = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            in_gap = true;
        } else if std::mem::take(&mut in_gap)
            && !text.get(start..at).unwrap_or_default().trim().is_empty()
        {
            found.push(start..at);
            start = at;
        }
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
