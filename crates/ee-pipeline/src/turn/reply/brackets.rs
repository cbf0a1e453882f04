//! Checks what an answer puts in square brackets as it arrives: citations that hold stay, in
//! their short form; false ones and forged tags go.

use crate::turn::citation::{Bracket, Citable, read_bracket};
use crate::turn::escape::fold;

/// The longest bracket that is looked at, in bytes; a longer one is ordinary text.
const LONGEST: usize = 400;

/// Holds text from an opening bracket (and the white space before it) to the closing one.
pub(crate) struct BracketFilter {
    citable: Vec<Citable>,
    held: String,
    space: String,
    /// Whether a bracket has just gone, so that the white space around it must close up.
    gap: bool,
    pub(crate) cited: Vec<usize>,
    pub(crate) refused: Vec<String>,
}

impl BracketFilter {
    pub(crate) fn new(citable: Vec<Citable>) -> Self {
        Self {
            citable,
            held: String::new(),
            space: String::new(),
            gap: false,
            cited: Vec::new(),
            refused: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, text: &str) -> String {
        let mut shown = String::new();
        for c in text.chars() {
            self.take(c, &mut shown);
        }
        shown
    }

    /// The text is at its end: what was held is ordinary.
    pub(crate) fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.release(&mut shown);
        shown.push_str(&std::mem::take(&mut self.space));
        shown
    }

    fn take(&mut self, c: char, shown: &mut String) {
        if self.held.is_empty() {
            if fold(c) == '[' {
                self.held.push(c);
            } else {
                self.show(c, shown);
            }
            return;
        }
        self.held.push(c);
        if fold(c) == ']' {
            self.close(shown);
        } else if c == '\n' {
            self.release(shown);
        } else if self.held.len() > LONGEST {
            self.let_go(shown);
        }
    }

    /// Shows what is held up to the next opening bracket, which may begin a marker of its own.
    fn let_go(&mut self, shown: &mut String) {
        let mut later = self.held.char_indices().skip(1);
        let next = later.find(|(_, c)| fold(*c) == '[').map(|(at, _)| at);
        let rest = next.map_or_else(String::new, |at| self.held.split_off(at));
        self.release(shown);
        self.held = rest;
    }

    /// Shows a character; white space waits for what follows it.
    fn show(&mut self, c: char, shown: &mut String) {
        if c.is_whitespace() {
            let doubled = self.gap && c == ' ' && self.space.ends_with(' ');
            if !doubled {
                self.space.push(c);
            }
            return;
        }
        if self.gap && ".,;:!?)。,;".contains(c) {
            self.space.clear();
        }
        self.gap = false;
        shown.push_str(&std::mem::take(&mut self.space));
        shown.push(c);
    }

    fn release(&mut self, shown: &mut String) {
        for c in std::mem::take(&mut self.held).chars() {
            self.show(c, shown);
        }
    }

    /// Judges the innermost bracket of what is held. When it goes and stood inside another, that
    /// one stays held, so that no marker is put together from the pieces around it.
    fn close(&mut self, shown: &mut String) {
        let open = self.held.char_indices().rfind(|(_, c)| fold(*c) == '[');
        let at = open.map_or(0, |(at, _)| at);
        let bracket = self.held.split_off(at);
        let inside: String = strip_ends(&bracket);
        let kept = match read_bracket(&inside, &self.citable) {
            Bracket::Ordinary => bracket,
            Bracket::Tag => String::new(),
            Bracket::Citations { ranks, refused } => self.cite(&ranks, refused),
        };
        if kept.is_empty() && !self.held.is_empty() {
            return;
        }
        if kept.is_empty() {
            self.gap = true;
            return;
        }
        self.held.push_str(&kept);
        self.release(shown);
    }

    fn cite(&mut self, ranks: &[usize], refused: Vec<String>) -> String {
        let mut kept = String::new();
        for unit in self
            .citable
            .iter()
            .filter(|unit| ranks.contains(&unit.rank))
        {
            kept.push('[');
            kept.push_str(&unit.citation);
            kept.push(']');
            if !self.cited.contains(&unit.rank) {
                self.cited.push(unit.rank);
            }
        }
        for id in refused {
            if !self.refused.contains(&id) {
                self.refused.push(id);
            }
        }
        kept
    }
}

fn strip_ends(bracket: &str) -> String {
    let mut inside = bracket.chars();
    inside.next();
    inside.next_back();
    inside.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use km_core::UnitId;
    use proptest::prelude::*;

    fn filter() -> BracketFilter {
        let unit: UnitId = "a3f9b2c1000000000000000000000000".parse().unwrap();
        let citation = "a3f9b2c1".to_owned();
        BracketFilter::new(vec![Citable {
            rank: 1,
            unit,
            citation,
        }])
    }

    fn shown(text: &str) -> String {
        let mut filter = filter();
        let mut shown = filter.push(text);
        shown.push_str(&filter.finish());
        shown
    }

    #[test]
    fn what_holds_stays_and_what_is_false_goes() {
        let open = "x".repeat(LONGEST - 6);
        for (text, expected) in [
            ("Ten days [A3F9B2C1].", "Ten days [a3f9b2c1]."),
            ("Ten days [ID:1] [ID:2].", "Ten days [a3f9b2c1]."),
            ("Ten [deadbeef] days [RAG:00000000].", "Ten days."),
            ("a [a3f9b2c1, deadbeef] b", "a [a3f9b2c1] b"),
            ("list[int] and [x](y) [", "list[int] and [x](y) ["),
            ("[RAG:[RAG:deadbeef]deadbeef]", ""),
            ("[[RAG:deadbeef]RAG:deadbeef]", ""),
            ("［ＲＡＧ：deadbeef］x", "x"),
            (&format!("[{open}[RAG:deadbeef]"), &format!("[{open}")),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_forged_tag_or_citation_survives(
            text in "(\\[|\\]|RAG:|rag: |deadbeef|a3f9b2c1|ID:|1|2| |\n|,|x){0,24}",
        ) {
            let shown = shown(&text);
            prop_assert_eq!(self::shown(&shown), shown.clone(), "a second pass changes nothing");
            prop_assert!(!shown.to_lowercase().contains("[rag:deadbeef]"));
            prop_assert!(!shown.contains("[deadbeef]"));
        }
    }
}
