//! Markdown: `CommonMark` with tables, footnotes, task lists, definition lists and front matter.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::TextFormat;
use super::tags;
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::front_matter::{self, FrontMatter};
use crate::mapped::MappedText;
use crate::patterns::is_unspaced;

/// Levels of nesting that are shown by indentation.
const DEEPEST_INDENT: usize = 8;

pub(super) struct Markdown;

impl TextFormat for Markdown {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let mut document = Document::default();
        let mut start = 0;
        if let Some((yaml, rest)) = front_matter::split(text) {
            document.front_matter = FrontMatter::parse(yaml)?;
            start = rest;
        }
        let body = text.get(start..).unwrap_or_default();
        let mut builder = Builder::new(body, start);
        for (event, range) in Parser::new_ext(body, options()).into_offset_iter() {
            builder.event(event, range);
        }
        builder.finish(&mut document);
        Ok(document)
    }
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_DEFINITION_LIST
}

/// Builds blocks from events.
struct Builder<'a> {
    body: &'a str,
    /// Where the body starts in the canonical text.
    base: usize,
    blocks: Vec<Block>,
    notes: Vec<String>,
    /// The text of the block, item or cell that is being read.
    inline: MappedText,
    references: Vec<String>,
    /// The links that are open: target, and length of the text when each began.
    links: Vec<(String, usize)>,
    /// The list that is being read, nested ones included.
    list: Option<List>,
    table: Option<Table>,
    /// The language of the code block that is being read, empty where it states none.
    code: Option<String>,
    html: Option<Range<usize>>,
    /// The term whose definitions follow.
    term: MappedText,
    /// The length of the emphasised words at the start of the text that is being read.
    strong_term: usize,
    strong_start: Option<usize>,
    /// The length of the label or list marker that the text starts with.
    marker: usize,
    in_definition: bool,
}

struct List {
    ordered: bool,
    /// Per level of nesting the number of the next item; absent where items have no numbers.
    numbers: Vec<Option<u64>>,
    parts: Vec<(MappedText, usize)>,
}

#[derive(Default)]
struct Table {
    columns: usize,
    rows: Vec<MappedText>,
    cells: usize,
    row: MappedText,
}

impl<'a> Builder<'a> {
    fn new(body: &'a str, base: usize) -> Self {
        Self {
            body,
            base,
            blocks: Vec::new(),
            notes: Vec::new(),
            inline: MappedText::default(),
            references: Vec::new(),
            links: Vec::new(),
            list: None,
            table: None,
            code: None,
            html: None,
            term: MappedText::default(),
            strong_term: 0,
            strong_start: None,
            marker: 0,
            in_definition: false,
        }
    }

    fn finish(mut self, document: &mut Document) {
        self.close_paragraph();
        document.notes.append(&mut self.notes);
        document.blocks.append(&mut self.blocks);
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::Text(text) | Event::Code(text) => self.text(&text, range),
            Event::SoftBreak => self.soft_break(range),
            Event::HardBreak => self.text("\n", range),
            Event::InlineHtml(html) if tags::is_break(&html) => self.text("\n", range),
            Event::Html(_) => self.extend_html(&range),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]"), range),
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }, range),
            Event::InlineHtml(_) | Event::Rule | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { .. } => self.close_paragraph(),
            Tag::Paragraph if self.is_continued() => self.inline.push_glue("\n"),
            Tag::DefinitionListDefinition => self.in_definition = true,
            Tag::CodeBlock(kind) => self.start_code(&kind),
            Tag::List(first) => self.start_list(first),
            Tag::Item => self.start_item(),
            Tag::Table(columns) => self.start_table(columns.len()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links
                    .push((dest_url.into_string(), self.inline.as_str().len()));
            }
            Tag::Strong => self.strong_start = Some(self.inline.as_str().len()),
            Tag::HtmlBlock => self.html = Some(range),
            Tag::FootnoteDefinition(name) => {
                self.close_paragraph();
                self.text(&format!("[^{name}]: "), range.start..range.start);
                self.marker = self.inline.as_str().len();
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Heading(level) => self.end_heading(level as u8),
            TagEnd::Paragraph if self.list.is_none() && !self.in_definition => {
                self.close_paragraph();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => self.end_list(),
            TagEnd::Item => self.end_item(),
            TagEnd::TableCell => self.end_cell(),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(range),
            TagEnd::Table => self.end_table(),
            TagEnd::Strong => self.end_strong(),
            TagEnd::Link => self.end_link(range),
            TagEnd::Image => drop(self.links.pop()),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::DefinitionListTitle => (self.term, _) = self.take_inline(),
            TagEnd::DefinitionListDefinition => self.end_definition(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        self.inline.push(text, self.placed(range));
    }

    fn placed(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    /// A line end inside a paragraph is a space, except between two characters of a script that
    /// is written without spaces.
    fn soft_break(&mut self, range: Range<usize>) {
        let before = self.inline.as_str().chars().next_back();
        let after = self
            .body
            .get(range.end..)
            .and_then(|rest| rest.trim_start().chars().next());
        let unspaced = [before, after].iter().all(|c| c.is_some_and(is_unspaced));
        self.text(if unspaced { "" } else { " " }, range);
    }

    /// The text that was read and the length of the term it starts with.
    fn take_inline(&mut self) -> (MappedText, usize) {
        self.marker = 0;
        (
            std::mem::take(&mut self.inline),
            std::mem::take(&mut self.strong_term),
        )
    }

    /// Emphasised words count as a term when nothing but a list marker stands before them.
    fn end_strong(&mut self) {
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
    fn close_paragraph(&mut self) {
        let continued = self.is_continued();
        let text = self.take_inline();
        if let Some(list) = &mut self.list {
            list.parts.extend(continued.then_some(text));
            let ordered = list.ordered;
            let parts = std::mem::take(&mut list.parts);
            self.push_block(BlockKind::List { ordered }, parts);
        } else {
            self.push_block(BlockKind::Paragraph, vec![text]);
        }
    }

    fn end_heading(&mut self, level: u8) {
        let text = self.take_inline();
        self.push_block(BlockKind::Heading { level }, vec![text]);
    }

    /// Code inside a list stays with its item.
    fn start_code(&mut self, kind: &CodeBlockKind<'_>) {
        if self.list.is_some() {
            self.inline.push_glue("\n");
            return;
        }
        self.close_paragraph();
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next(),
            CodeBlockKind::Indented => None,
        };
        self.code = Some(language.unwrap_or_default().to_lowercase());
    }

    fn end_code(&mut self) {
        if let Some(language) = self.code.take() {
            let language = (!language.is_empty()).then_some(language);
            let code = self.take_inline();
            let items = super::code::items(&code.0)
                .into_iter()
                .map(|item| (item, 0));
            self.push_block(BlockKind::Code { language }, items.collect());
        }
    }

    fn start_list(&mut self, first: Option<u64>) {
        if self.list.is_none() {
            self.close_paragraph();
        }
        let continued = self.is_continued();
        let text = self.take_inline();
        let list = self.list.get_or_insert_with(|| List {
            ordered: first.is_some(),
            numbers: Vec::new(),
            parts: Vec::new(),
        });
        list.parts.extend(continued.then_some(text));
        list.numbers.push(first);
    }

    fn start_item(&mut self) {
        let Some(list) = &mut self.list else { return };
        let depth = list.numbers.len().saturating_sub(1);
        let marker = match list.numbers.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        };
        self.inline
            .push_glue(&"  ".repeat(depth.min(DEEPEST_INDENT)));
        self.inline.push_glue(&marker);
        self.marker = self.inline.as_str().len();
    }

    /// Whether a paragraph goes on with an item or definition that already has text.
    fn is_continued(&self) -> bool {
        self.inline.as_str().len() > self.marker
    }

    fn end_item(&mut self) {
        let continued = self.is_continued();
        let text = self.take_inline();
        if let Some(list) = &mut self.list {
            list.parts.extend(continued.then_some(text));
        }
    }

    fn end_list(&mut self) {
        let Some(mut list) = self.list.take() else {
            return;
        };
        list.numbers.pop();
        if list.numbers.is_empty() {
            self.push_block(
                BlockKind::List {
                    ordered: list.ordered,
                },
                list.parts,
            );
        } else {
            self.list = Some(list);
        }
    }

    fn start_table(&mut self, columns: usize) {
        self.close_paragraph();
        self.table = Some(Table {
            columns,
            ..Table::default()
        });
    }

    fn end_cell(&mut self) {
        let (cell, _) = self.take_inline();
        if let Some(table) = &mut self.table {
            table.cells += 1;
            table.row.append("| ", &cell);
            table.row.push_glue(if cell.is_blank() { "" } else { " " });
        }
    }

    /// Cells beyond the header's are kept, where the table grammar would drop them.
    fn end_row(&mut self, range: &Range<usize>) {
        let surplus = self.surplus_cells(range);
        let Some(table) = &mut self.table else { return };
        for cell in &surplus {
            table.row.append("| ", cell);
            table.row.push_glue(" ");
        }
        table.row.push_glue("|");
        table.cells = 0;
        table.rows.push(std::mem::take(&mut table.row));
        if !surplus.is_empty() {
            let row = table.rows.len();
            self.notes.push(format!(
                "a table's row {row} has more cells than its header; all are kept"
            ));
        }
    }

    fn surplus_cells(&self, range: &Range<usize>) -> Vec<MappedText> {
        let columns = self.table.as_ref().map_or(0, |table| table.columns);
        let row = self.body.get(range.clone()).unwrap_or_default();
        let cells = split_row(row);
        let surplus = cells
            .into_iter()
            .skip(columns)
            .filter(|(_, cell)| !cell.is_empty());
        surplus
            .map(|(at, cell)| MappedText::verbatim(cell, self.base + range.start + at))
            .collect()
    }

    fn end_table(&mut self) {
        if let Some(table) = self.table.take() {
            let rows = table.rows.into_iter().map(|row| (row, 0));
            self.push_block(BlockKind::Table, rows.collect());
        }
    }

    /// A link to another place is written out, one inside the collection becomes a reference.
    fn end_link(&mut self, range: &Range<usize>) {
        let Some((target, start)) = self.links.pop() else {
            return;
        };
        if !target.contains(':') {
            self.references.push(target);
        } else if !self
            .inline
            .as_str()
            .get(start..)
            .is_some_and(|text| shows(&target, text))
        {
            self.text(&format!(" ({target})"), range.clone());
        }
    }

    fn extend_html(&mut self, range: &Range<usize>) {
        if let Some(html) = &mut self.html {
            html.end = html.end.max(range.end);
        }
    }

    fn end_html(&mut self) {
        let Some(range) = self.html.take() else {
            return;
        };
        let html = self.body.get(range.clone()).unwrap_or_default();
        let text = tags::strip(html, self.base + range.start);
        if text.is_blank() {
            return;
        }
        if self.list.is_some() {
            self.inline.append("\n", &text);
        } else {
            self.close_paragraph();
            self.push_block(BlockKind::Paragraph, vec![(text, 0)]);
        }
    }

    fn end_definition(&mut self) {
        let (meaning, _) = self.take_inline();
        self.in_definition = false;
        let mut definition = self.term.clone();
        definition.append(": ", &meaning);
        self.push_block(BlockKind::Definition, vec![(definition, 0)]);
    }
}

/// Whether a link's text already shows where it leads.
fn shows(target: &str, text: &str) -> bool {
    target == text || target.strip_prefix("mailto:") == Some(text)
}

/// The cells of a table row with their places, escaped bars left alone.
fn split_row(row: &str) -> Vec<(usize, &str)> {
    let line = row.lines().next().unwrap_or_default();
    let inner = line.trim().trim_start_matches('|');
    let mut at = line.len() - line.trim_start().trim_start_matches('|').len();
    let mut cells = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (place, c) in inner.char_indices().chain([(inner.len(), '|')]) {
        if c == '|' && !escaped {
            let cell = inner.get(start..place).unwrap_or_default();
            let indent = cell.len() - cell.trim_start().len();
            cells.push((at + indent, cell.trim()));
            at += place + 1 - start;
            start = place + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    cells
}
