//! Text that remembers where in the source it came from.

use std::ops::Range;

/// Text with the places in the canonical source that its stretches stand for. Mark-up, escapes
/// and entities are gone from the text but not from the places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MappedText {
    text: String,
    stretches: Vec<Stretch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    text: Range<usize>,
    source: Range<usize>,
}

impl MappedText {
    /// Text that stands in the source as it is, from `start` on.
    pub(crate) fn verbatim(text: &str, start: usize) -> Self {
        let mut mapped = Self::default();
        mapped.push(text, start..start + text.len());
        mapped
    }

    /// Text that stands nowhere in the source, or in a format without places.
    pub(crate) fn unplaced(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            stretches: Vec::new(),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_blank(&self) -> bool {
        says_nothing(&self.text)
    }

    /// Whether any of it, beside white space, stands in the source.
    pub(crate) fn is_placed(&self) -> bool {
        let texts = self
            .stretches
            .iter()
            .filter_map(|stretch| self.text.get(stretch.text.clone()));
        texts.into_iter().any(|text| !says_nothing(text))
    }

    /// Appends text that stands for `source`: letter by letter when the lengths agree, as a whole
    /// otherwise.
    pub(crate) fn push(&mut self, text: &str, source: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(text);
        if !text.is_empty() {
            self.stretches.push(Stretch {
                text: start..self.text.len(),
                source,
            });
        }
    }

    /// Appends text that stands for nothing in the source.
    pub(crate) fn push_glue(&mut self, glue: &str) {
        self.text.push_str(glue);
    }

    /// Appends another text after some glue.
    pub(crate) fn append(&mut self, glue: &str, other: &Self) {
        self.push_glue(glue);
        let shift = self.text.len();
        self.text.push_str(&other.text);
        self.stretches
            .extend(other.stretches.iter().map(|stretch| Stretch {
                text: stretch.text.start + shift..stretch.text.end + shift,
                source: stretch.source.clone(),
            }));
    }

    /// The smallest stretch of the source that holds all that `range` stands for.
    pub(crate) fn source(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let first = self
            .stretches
            .partition_point(|stretch| stretch.text.end <= range.start);
        let mut found: Option<Range<usize>> = None;
        for stretch in self.stretches.get(first..)? {
            if stretch.text.start >= range.end {
                break;
            }
            let part = stretch.overlap(range);
            found = Some(match found {
                Some(all) => all.start.min(part.start)..all.end.max(part.end),
                None => part,
            });
        }
        found
    }

    /// A part of the text with its places.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        let mut part = Self::unplaced(self.text.get(range.clone()).unwrap_or_default());
        let first = self
            .stretches
            .partition_point(|stretch| stretch.text.end <= range.start);
        for stretch in self.stretches.get(first..).unwrap_or_default() {
            if stretch.text.start >= range.end {
                break;
            }
            let start = stretch.text.start.max(range.start) - range.start;
            let end = stretch.text.end.min(range.end) - range.start;
            part.stretches.push(Stretch {
                text: start..end,
                source: stretch.overlap(&range),
            });
        }
        part
    }
}

/// Whether a text is only white space and stray byte-order marks, which canonical form takes off.
fn says_nothing(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

impl Stretch {
    fn overlap(&self, range: &Range<usize>) -> Range<usize> {
        if self.text.len() != self.source.len() {
            return self.source.clone();
        }
        let start = range.start.max(self.text.start) - self.text.start;
        let end = range.end.min(self.text.end) - self.text.start;
        self.source.start + start..self.source.start + end
    }
}
