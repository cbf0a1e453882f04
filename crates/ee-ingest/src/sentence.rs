//! Ends of sentences and words, in languages without spaces too.

mod ascii;

use icu_segmenter::options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions};
use icu_segmenter::{SentenceSegmenter, SentenceSegmenterBorrowed, WordSegmenter};
use std::ops::Range;

use crate::patterns::{is_abbreviation, is_unspaced};

/// The sentences of a text, with the white space that follows them, covering all of it.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in sentence_ends(text) {
        if !is_abbreviation(text.get(start..end).unwrap_or_default()) {
            found.push(start..end);
            start = end;
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

/// The ends of sentences. No sentence goes on over a line end, so that lines are cut one by one.
fn sentence_ends(text: &str) -> Vec<usize> {
    let segmenter: SentenceSegmenterBorrowed<'static> =
        SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut ends = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.is_ascii() {
            ends.extend(ascii::ends(line).into_iter().map(|end| start + end));
        } else {
            let later = segmenter.segment_str(line).filter(|end| *end > 0);
            ends.extend(later.map(|end| start + end));
        }
        start += line.len();
    }
    ends
}

/// The words of a text, each with the white space and marks that follow it, covering all of it.
pub(crate) fn words(text: &str) -> Vec<Range<usize>> {
    if has_unspaced(text) {
        dictionary_words(text)
    } else {
        spaced_words(text, usize::MAX)
    }
}

/// The first words of a text as [`words`] finds them: so many, and more where that costs nothing.
pub(crate) fn first_words(text: &str, count: usize) -> Vec<Range<usize>> {
    if has_unspaced(text) {
        dictionary_words(text)
    } else {
        spaced_words(text, count)
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

fn spaced_words(text: &str, most: usize) -> Vec<Range<usize>> {
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
            if found.len() >= most {
                return found;
            }
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
