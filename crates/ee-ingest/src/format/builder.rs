//! Builds blocks from the parts of a marked-up text in reading order; what Markdown, HTML and DOCX
//! have in common, so that the same content comes out the same from each.

mod list;
mod table;

use std::ops::Range;

use self::list::List;
use self::table::Table;
use super::code;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;
use crate::patterns::is_unspaced;

/// White space that was read and is written only when text follows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Gap {
    #[default]
    None,
    /// White space in the source.
    Space { place: Range<usize>, line_end: bool },
    /// A line end that the author set.
    Break(Range<usize>),
    /// The border of a block inside an item or definition.
    Line,
}

/// Blocks so far, and the text of the block, item or cell that is being read.
#[derive(Debug, Default)]
pub(super) struct Builder {
    blocks: Vec<Block>,
    notes: Vec<String>,
    inline: MappedText,
    gap: Gap,
    references: Vec<String>,
    /// The links that are open: target, and length of the text when each began.
    links: Vec<(String, usize)>,
    /// The list that is being read, nested ones included.
    list: Option<List>,
    table: Option<Table>,
    /// The language of the code block that is being read, empty where it states none.
    code: Option<String>,
    /// The term whose definitions follow, and whether one did.
    term: MappedText,
    is_term_used: bool,
    /// The length of the emphasised words at the start of the text that is being read.
    strong_term: usize,
    strong_start: Option<usize>,
    /// The length of the label or list marker that the text starts with.
    marker: usize,
    in_definition: bool,
}

impl Builder {
    pub(super) fn finish(mut self, document: &mut Document) {
        self.close_paragraph();
        self.end_terms();
        document.notes.append(&mut self.notes);
        document.blocks.append(&mut self.blocks);
    }

    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Text that stands for `source`, as it is.
    pub(super) fn text(&mut self, text: &str, source: Range<usize>) {
        self.write_gap(text.chars().next());
        self.inline.push(text, source);
    }

    /// Text that stands for `source`, each run of white space a single space, and none at either
    /// end of a block.
    #[cfg(any(feature = "docx", feature = "html"))]
    pub(super) fn words(&mut self, text: &str, source: &Range<usize>) {
        let same = text.len() == source.len();
        let place = |run: Range<usize>| {
            if same {
                source.start + run.start..source.start + run.end
            } else {
                source.clone()
            }
        };
        let mut at = 0;
        for run in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            let word = run.trim_end_matches(|c: char| c.is_ascii_whitespace());
            let end = at + word.len();
            if !word.is_empty() {
                self.text(word, place(at..end));
            }
            at += run.len();
            if end < at {
                self.space(place(end..at), run.ends_with('\n'));
            }
        }
    }

    /// White space, written when text follows in the same block.
    pub(super) fn space(&mut self, place: Range<usize>, line_end: bool) {
        self.gap = match std::mem::take(&mut self.gap) {
            Gap::None => Gap::Space { place, line_end },
            Gap::Space {
                place: before,
                line_end: ended,
            } => Gap::Space {
                place: before.start.min(place.start)..before.end.max(place.end),
                line_end: ended || line_end,
            },
            stronger => stronger,
        };
    }

    /// A line end that the author set, written when text follows in the same block.
    pub(super) fn line_break(&mut self, source: Range<usize>) {
        if self.gap != Gap::Line {
            self.gap = Gap::Break(source);
        }
    }

    /// Writes the white space before `next`. A line end inside a paragraph is a space, except
    /// between two characters of a script that is written without spaces.
    fn write_gap(&mut self, next: Option<char>) {
        let gap = std::mem::take(&mut self.gap);
        if !self.is_continued() {
            return;
        }
        match gap {
            Gap::None => {}
            Gap::Line => self.inline.push_glue("\n"),
            Gap::Break(place) => self.inline.push("\n", place),
            Gap::Space { place, line_end } => {
                let before = self.inline.as_str().chars().next_back();
                let unspaced = [before, next].iter().all(|c| c.is_some_and(is_unspaced));
                let blank = before.is_some_and(char::is_whitespace);
                let joins = unspaced && line_end;
                if !blank && !joins {
                    self.inline.push(" ", place);
                }
            }
        }
    }

    /// Whether the text goes on in the block, item or definition that is being read.
    pub(super) fn is_continued(&self) -> bool {
        self.inline.as_str().len() > self.marker
    }

    /// Whether a paragraph is a part of something larger, such as an item.
    pub(super) fn is_inside(&self) -> bool {
        self.list.is_some() || self.in_definition
    }

    /// The text of the block that is being read.
    #[cfg(any(feature = "docx", feature = "html"))]
    pub(super) fn current_text(&self) -> &str {
        self.inline.as_str()
    }

    /// A paragraph begins: inside an item or definition it goes on after a line end.
    pub(super) fn start_paragraph(&mut self) {
        if self.is_continued() {
            self.gap = Gap::Line;
        }
    }

    pub(super) fn end_paragraph(&mut self) {
        if !self.is_inside() {
            self.close_paragraph();
        }
    }

    /// The text that was read and the length of the term it starts with.
    fn take_inline(&mut self) -> (MappedText, usize) {
        self.marker = 0;
        self.gap = Gap::None;
        (
            std::mem::take(&mut self.inline),
            std::mem::take(&mut self.strong_term),
        )
    }

    pub(super) fn start_strong(&mut self) {
        self.write_gap(None);
        self.strong_start = Some(self.inline.as_str().len());
    }

    /// Emphasised words count as a term when nothing but a list marker stands before them.
    pub(super) fn end_strong(&mut self) {
        let Some(start) = self.strong_start.take() else {
            return;
        };
        let before = self.inline.as_str().get(..start).unwrap_or_default();
        if before.trim_matches([' ', '-']).is_empty() {
            self.strong_term = self.inline.as_str().len();
        }
    }

    fn push_block(&mut self, kind: BlockKind, parts: Vec<(MappedText, usize)>) {
        let parts = parts.into_iter().filter(|(text, _)| text.is_placed());
        let (parts, strong_terms): (Vec<MappedText>, Vec<usize>) = parts.unzip();
        if !parts.is_empty() {
            let mut block = Block::new(kind, parts);
            block.strong_terms = strong_terms;
            block.references = std::mem::take(&mut self.references);
            self.blocks.push(block);
        }
    }

    /// Ends what is being read, so that a block of another kind can follow in order.
    pub(super) fn close_paragraph(&mut self) {
        let continued = self.is_continued();
        let text = self.take_inline();
        if let Some(list) = &mut self.list {
            list.extend(continued.then_some(text));
            let (kind, parts) = list.take();
            self.push_block(kind, parts);
        } else {
            self.push_block(BlockKind::Paragraph, vec![text]);
        }
    }

    pub(super) fn end_heading(&mut self, level: u8) {
        let text = self.take_inline();
        self.push_block(BlockKind::Heading { level }, vec![text]);
    }

    /// A paragraph that was read elsewhere.
    pub(super) fn paragraph(&mut self, text: MappedText) {
        if self.list.is_some() {
            self.inline.append("\n", &text);
        } else {
            self.close_paragraph();
            self.push_block(BlockKind::Paragraph, vec![(text, 0)]);
        }
    }

    /// A label before a text, such as that of a footnote.
    pub(super) fn label(&mut self, label: &str, place: Range<usize>) {
        self.close_paragraph();
        self.text(label, place);
        self.marker = self.inline.as_str().len();
    }

    /// Code inside a list stays with its item.
    pub(super) fn start_code(&mut self, language: &str) {
        if self.list.is_some() {
            self.gap = Gap::None;
            self.inline.push_glue("\n");
            return;
        }
        self.close_paragraph();
        self.code = Some(language.to_lowercase());
    }

    /// Names the language of the code that is being read, where it has none yet.
    #[cfg(feature = "html")]
    pub(super) fn name_code(&mut self, name: &str) {
        if let Some(language) = self.code.as_mut().filter(|language| language.is_empty()) {
            *language = name.to_lowercase();
        }
    }

    pub(super) fn end_code(&mut self) {
        let Some(language) = self.code.take() else {
            return;
        };
        let language = (!language.is_empty()).then_some(language);
        let (text, _) = self.take_inline();
        let items = code::items(&text).into_iter().map(|item| (item, 0));
        self.push_block(BlockKind::Code { language }, items.collect());
    }

    pub(super) fn start_link(&mut self, target: String) {
        self.write_gap(None);
        self.links.push((target, self.inline.as_str().len()));
    }

    /// Forgets the link that was opened last.
    pub(super) fn drop_link(&mut self) {
        self.links.pop();
    }

    /// A link to another place is written out, one inside the collection becomes a reference.
    pub(super) fn end_link(&mut self, source: Range<usize>) {
        let Some((target, start)) = self.links.pop() else {
            return;
        };
        let text = self.inline.as_str().get(start..).unwrap_or_default();
        if target.is_empty() {
            return;
        }
        if !target.contains(':') {
            self.references.push(target);
        } else if !shows(&target, text) {
            self.inline.push(&format!(" ({target})"), source);
        }
    }

    /// Terms that share a definition stand in front of it together.
    pub(super) fn end_term(&mut self) {
        let (term, _) = self.take_inline();
        if self.is_term_used || self.term.is_blank() {
            self.term = term;
        } else {
            self.term.append(", ", &term);
        }
        self.is_term_used = false;
    }

    /// A term that no definition follows is a paragraph.
    pub(super) fn end_terms(&mut self) {
        let term = std::mem::take(&mut self.term);
        if !std::mem::take(&mut self.is_term_used) {
            self.push_block(BlockKind::Paragraph, vec![(term, 0)]);
        }
    }

    pub(super) fn start_definition(&mut self) {
        self.in_definition = true;
    }

    pub(super) fn end_definition(&mut self) {
        let (meaning, _) = self.take_inline();
        self.in_definition = false;
        self.is_term_used = true;
        let mut definition = self.term.clone();
        definition.append(": ", &meaning);
        self.push_block(BlockKind::Definition, vec![(definition, 0)]);
    }
}

/// Whether a link's text already shows where it leads.
fn shows(target: &str, text: &str) -> bool {
    let text = text.trim();
    target == text || target.strip_prefix("mailto:") == Some(text)
}
