//! Where sentences begin and end in folded text.

use crate::PatternFile;

use super::folding::{fold, joins};

/// How many opening words may stand before what counts as the first word of a sentence.
const MOST_OPENINGS: usize = 4;

/// Marks that may stand before the first word of a sentence.
const MARKS: [char; 10] = [' ', '"', '\'', '(', '*', '-', '#', '>', '“', '„'];

/// Behind these a new clause begins.
const CLAUSE_ENDS: [char; 9] = ['.', '!', '?', ':', ';', ',', '\n', '。', '、'];

/// Where the sentences of a text end: byte offsets just behind each end mark.
pub(super) struct Sentences {
    ends: Vec<usize>,
}

impl Sentences {
    /// Finds the sentences. A full stop ends one only before a blank or the end of the text.
    pub(super) fn of(text: &str) -> Self {
        let ends = text.char_indices().filter_map(|(start, c)| {
            let end = start + c.len_utf8();
            ends_sentence(c, text.get(end..).unwrap_or_default()).then_some(end)
        });
        Self {
            ends: ends.collect(),
        }
    }

    /// The number, from 0, of the sentence that holds this byte.
    pub(super) fn number_at(&self, offset: usize) -> usize {
        self.ends.partition_point(|end| *end <= offset)
    }
}

fn ends_sentence(mark: char, after: &str) -> bool {
    match mark {
        '!' | '?' | '。' | '\n' => true,
        '.' => after.is_empty() || after.starts_with(char::is_whitespace),
        _ => false,
    }
}

/// Words that may open a sentence without being what it begins with: `and`, `bitte`, `然后`.
pub(super) struct Openings {
    /// Longest first.
    words: Vec<String>,
}

impl Openings {
    /// The cue `opening` of all files.
    pub(super) fn of(files: &[PatternFile]) -> Self {
        let listed = files.iter().filter_map(|file| file.cues.get("opening"));
        let mut words: Vec<String> = listed.flatten().map(|word| fold(word)).collect();
        words.retain(|word| !word.trim().is_empty());
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Self { words }
    }

    /// Whether what follows `before` begins a sentence or a clause.
    pub(super) fn begin_after(&self, before: &str) -> bool {
        let mut before = before;
        for _ in 0..=MOST_OPENINGS {
            before = before.trim_end_matches(MARKS);
            if before.is_empty() || before.ends_with(CLAUSE_ENDS) {
                return true;
            }
            match self.without_last(before) {
                Some(rest) => before = rest,
                None => return false,
            }
        }
        false
    }

    fn without_last<'a>(&self, before: &'a str) -> Option<&'a str> {
        self.words.iter().find_map(|word| {
            let rest = before.strip_suffix(word.as_str())?;
            (!joins(rest, word)).then_some(rest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Sentences;

    #[test]
    fn a_full_stop_inside_a_name_ends_nothing() {
        let text = "node.js fails. why?\nsince v1.2";
        let sentences = Sentences::of(text);
        let number = |word: &str| sentences.number_at(text.find(word).unwrap());
        assert_eq!(number("js"), 0);
        assert_eq!(number("why"), 1);
        assert_eq!(number("2"), 3);
    }
}
