//! One entry of a pattern file, read: what to look for, and what a match must fulfil.

use std::collections::BTreeMap;

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
    /// What a match must fulfil.
    pub(super) place: Place,
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
    let words = expand(body, groups)?;
    let needles = words
        .iter()
        .map(|word| Needle::parse(word, starts_sentence));
    needles.collect()
}

fn without_mark(text: &str, mark: char) -> (bool, &str) {
    match text.strip_prefix(mark) {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, text),
    }
}

/// The part itself, or one text for each word of the group that it names as `<name>`.
fn expand(part: &str, groups: &BTreeMap<String, Vec<String>>) -> Result<Vec<String>, &'static str> {
    let Some((before, rest)) = part.split_once('<') else {
        return Ok(vec![part.to_owned()]);
    };
    let (name, after) = rest
        .split_once('>')
        .ok_or("`<` opens the name of a group, and no `>` closes it")?;
    let group = groups
        .get(name)
        .ok_or("its file has no group of this name under [groups]")?;
    let words = group
        .iter()
        .map(|word| format!("{before}{}{after}", fold(word)));
    Ok(words.collect())
}

impl Needle {
    fn parse(text: &str, starts_sentence: bool) -> Result<Self, &'static str> {
        let (open_start, body) = without_mark(text, '*');
        let (open_end, body) = match body.strip_suffix('*') {
            Some(rest) => (true, rest),
            None => (false, body),
        };
        if body.trim().is_empty() {
            return Err("it is empty");
        }
        if body.contains('*') {
            return Err("`*` may only stand at the start or the end of a part");
        }
        let place = Place {
            starts_sentence,
            bounded_start: !open_start && body.chars().next().is_some_and(is_word),
            bounded_end: !open_end && body.chars().next_back().is_some_and(is_word),
        };
        Ok(Self {
            text: body.to_owned(),
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
        assert_eq!(texts, [vec!["run it", "go it"], vec!["server"]]);
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
