//! One entry of a pattern file, read: what to look for, and what a match must fulfil.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::folding::{fold, is_word, joins};
use super::sentence::Openings;

/// What stands between the parts of a pattern.
const GAP: &str = " ... ";

/// An entry of a pattern file.
#[derive(Debug, PartialEq)]
pub(super) struct Pattern {
    /// A match speaks against the label.
    pub(super) exception: bool,
    /// The parts, in the order in which one sentence must hold them; any needle of a part will do.
    pub(super) parts: Vec<Vec<Needle>>,
}

/// A text to look for.
#[derive(Debug, PartialEq)]
pub(super) struct Needle {
    /// Folded.
    pub(super) text: String,
    /// What must stand directly around it, where it is a word of a group.
    pub(super) around: Option<Arc<Around>>,
    /// What a match must fulfil.
    pub(super) place: Place,
}

/// The texts before and after a group's word, the same for all its words. They are compared where
/// a word is found, so that a group costs as many needles as it has words, in however many patterns
/// it is named.
#[derive(Debug, PartialEq)]
pub(super) struct Around {
    before: String,
    after: String,
}

impl Around {
    /// Where the whole match begins and ends, when the word from `start` to `end` stands in it.
    pub(super) fn extend(&self, text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
        let before = text.get(..start)?.strip_suffix(self.before.as_str())?;
        let after = text.get(end..)?.starts_with(self.after.as_str());
        after.then_some((before.len(), end + self.after.len()))
    }
}

/// What must hold around a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// It must start a sentence.
    starts_sentence: bool,
    /// A word character may not precede it.
    bounded_start: bool,
    /// A word character may not follow it.
    bounded_end: bool,
}

impl Pattern {
    /// Reads an entry; the error says what is wrong with it.
    pub(super) fn parse(
        entry: &str,
        groups: &BTreeMap<String, Vec<String>>,
    ) -> Result<Self, &'static str> {
        let folded = fold(entry);
        let (exception, body) = without_mark(&folded, '!');
        let parts = body.split(GAP).map(|part| parse_part(part, groups));
        Ok(Self {
            exception,
            parts: parts.collect::<Result<_, _>>()?,
        })
    }
}

fn parse_part(
    part: &str,
    groups: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<Needle>, &'static str> {
    let (starts_sentence, body) = without_mark(part, '^');
    let Some((before, rest)) = body.split_once('<') else {
        let open = Open::of(body, body)?;
        return Ok(vec![Needle::parse(body, None, open, starts_sentence)?]);
    };
    let (name, after) = rest
        .split_once('>')
        .ok_or("`<` opens the name of a group, and no `>` closes it")?;
    let group = groups
        .get(name)
        .ok_or("its file has no group of this name under [groups]")?;
    let around = Arc::new(Around {
        before: before.trim_start_matches('*').to_owned(),
        after: after.trim_end_matches('*').to_owned(),
    });
    let needles = group.iter().map(|word| {
        let word = fold(word);
        let first = if before.is_empty() { &word } else { before };
        let last = if after.is_empty() { &word } else { after };
        let open = Open::of(first, last)?;
        Needle::parse(&word, Some(Arc::clone(&around)), open, starts_sentence)
    });
    needles.collect()
}

/// Which ends of a part are open to more letters.
#[derive(Clone, Copy)]
struct Open {
    start: bool,
    end: bool,
}

impl Open {
    fn of(first: &str, last: &str) -> Result<Self, &'static str> {
        let start = first.starts_with('*');
        let end = last.ends_with('*');
        let inside = |text: &str| text.trim_matches('*').contains('*');
        if inside(first) || inside(last) {
            return Err("`*` may only stand at the start or the end of a part");
        }
        Ok(Self { start, end })
    }
}

fn without_mark(text: &str, mark: char) -> (bool, &str) {
    match text.strip_prefix(mark) {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, text),
    }
}

impl Needle {
    fn parse(
        text: &str,
        around: Option<Arc<Around>>,
        open: Open,
        starts_sentence: bool,
    ) -> Result<Self, &'static str> {
        let text = text.trim_matches('*');
        if text.trim().is_empty() {
            return Err("it is empty");
        }
        let (before, after) = match &around {
            Some(around) => (around.before.as_str(), around.after.as_str()),
            None => ("", ""),
        };
        let first = before.chars().chain(text.chars()).next();
        let last = after.chars().next_back().or(text.chars().next_back());
        let place = Place {
            starts_sentence,
            bounded_start: !open.start && first.is_some_and(is_word),
            bounded_end: !open.end && last.is_some_and(is_word),
        };
        Ok(Self {
            text: text.to_owned(),
            around,
            place,
        })
    }
}

impl Place {
    /// Whether a match that runs from `start` to `end`, in bytes, stands where it may.
    pub(super) fn admits(self, text: &str, start: usize, end: usize, openings: &Openings) -> bool {
        let before = text.get(..start).unwrap_or_default();
        let found = text.get(start..end).unwrap_or_default();
        let after = text.get(end..).unwrap_or_default();
        let cut_start = self.bounded_start && joins(before, found);
        let cut_end = self.bounded_end && joins(found, after);
        !cut_start && !cut_end && (!self.starts_sentence || openings.begin_after(before))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Pattern;

    #[test]
    fn every_mark_of_a_pattern_is_read() {
        let groups = BTreeMap::from([("verb".to_owned(), vec!["Run".to_owned(), "Go".to_owned()])]);
        let pattern = Pattern::parse("!^<verb> it … *server", &groups).unwrap();
        assert!(pattern.exception);
        let texts: Vec<Vec<&str>> = pattern
            .parts
            .iter()
            .map(|part| part.iter().map(|needle| needle.text.as_str()).collect())
            .collect();
        assert_eq!(texts, [vec!["run", "go"], vec!["server"]]);
        let around = pattern.parts[0][1].around.as_ref().unwrap();
        assert_eq!(around.extend("so go it alone", 3, 5), Some((3, 8)));
        assert_eq!(around.extend("so go at it", 3, 5), None);
        let place = |part: usize| pattern.parts[part][0].place;
        assert!(place(0).starts_sentence && place(0).bounded_start);
        assert!(!place(1).starts_sentence && !place(1).bounded_start && place(1).bounded_end);
    }

    #[test]
    fn a_pattern_that_cannot_match_is_refused() {
        for entry in ["", " ", "*", "a*b", "<verb>", "<verb", "a ... *"] {
            assert!(
                Pattern::parse(entry, &BTreeMap::new()).is_err(),
                "{entry:?}"
            );
        }
    }
}
