//! Ends of sentences in ASCII text, many times as fast as by the tables for all of Unicode.
//!
//! The rules are those of Unicode Standard Annex 29, "Sentence Boundary Rules", which are named
//! where they apply; on ASCII they come down to what is here.

/// What a character does to the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    LineEnd,
    /// A full stop, which may also end an abbreviation or stand in a number.
    Stop,
    /// A mark that ends sentences and nothing else.
    Mark,
    Close,
    Space,
    Continue,
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'\n' | b'\r' => Class::LineEnd,
        b'.' => Class::Stop,
        b'!' | b'?' => Class::Mark,
        b'"' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => Class::Close,
        b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
        b',' | b'-' | b':' | b';' => Class::Continue,
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Other,
    }
}

/// The ends of the sentences of an ASCII text, each after the white space that follows it; the
/// last is the end of the text.
pub(super) fn ends(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let at = |place: usize| bytes.get(place).copied().map(class);
    let mut ends = Vec::new();
    let mut place = 0;
    while let Some(found) = next_candidate(bytes, place) {
        place = found + 1;
        if at(found) == Some(Class::LineEnd) {
            place = after_line_end(bytes, found);
            ends.push(place);
        } else if let Some(end) = end_after(bytes, found) {
            place = end;
            ends.push(end);
        }
    }
    if ends.last() != Some(&bytes.len()) && !bytes.is_empty() {
        ends.push(bytes.len());
    }
    ends
}

/// The first line end or terminator from `place` on.
fn next_candidate(bytes: &[u8], place: usize) -> Option<usize> {
    let candidate = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'.' | b'!' | b'?');
    let rest = bytes.get(place..)?;
    Some(place + rest.iter().position(candidate)?)
}

/// Behind a line end; the two characters of one stay together (SB3, SB4).
fn after_line_end(bytes: &[u8], place: usize) -> usize {
    match bytes.get(place..place + 2) {
        Some(b"\r\n") => place + 2,
        _ => place + 1,
    }
}

/// Where the sentence ends that the terminator at `place` may end (SB6 to SB11).
fn end_after(bytes: &[u8], place: usize) -> Option<usize> {
    let at = |place: usize| bytes.get(place).copied().map(class);
    let is_stop = at(place) == Some(Class::Stop);
    let before = place.checked_sub(1).and_then(at);
    let in_word = matches!(before, Some(Class::Lower | Class::Upper));
    match at(place + 1) {
        Some(Class::Digit) if is_stop => return None,
        Some(Class::Upper) if is_stop && in_word => return None,
        _ => {}
    }
    let closed = skip(bytes, place + 1, Class::Close);
    let end = skip(bytes, closed, Class::Space);
    match at(end) {
        Some(Class::LineEnd) => Some(after_line_end(bytes, end)),
        Some(Class::Continue | Class::Stop | Class::Mark) => None,
        _ if is_stop && goes_on(bytes, end) => None,
        _ => Some(end),
    }
}

fn skip(bytes: &[u8], from: usize, class_of: Class) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let run = rest.iter().take_while(|byte| class(**byte) == class_of);
    from + run.count()
}

/// Whether the first letter from `place` on is a small one, with no terminator before it (SB8).
fn goes_on(bytes: &[u8], place: usize) -> bool {
    let rest = bytes.get(place..).unwrap_or_default();
    let mut classes = rest.iter().map(|byte| class(*byte));
    let decides = |class: &Class| {
        matches!(
            class,
            Class::Lower | Class::Upper | Class::LineEnd | Class::Stop | Class::Mark
        )
    };
    classes.find(decides) == Some(Class::Lower)
}

#[cfg(test)]
mod tests {
    use icu_segmenter::SentenceSegmenter;
    use icu_segmenter::options::SentenceBreakInvariantOptions;
    use proptest::prelude::*;

    use super::ends;

    fn by_tables(text: &str) -> Vec<usize> {
        let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
        segmenter.segment_str(text).filter(|end| *end > 0).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn every_text_is_cut_as_the_tables_cut_it(text in "[ \\t\\n\\r.!?'\")\\]({,:;\\-aAbB01<`%\\x00\\x0b\\x0c]{0,24}") {
            prop_assert_eq!(ends(&text), by_tables(&text), "{:?}", text);
        }
    }
}
