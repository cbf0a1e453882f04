//! Markdown: `CommonMark` with tables, footnotes, task lists, definition lists and front matter.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::TextFormat;
use super::builder::Builder;
use super::tags;
use crate::SkipReason;
use crate::document::Document;
use crate::front_matter::{self, FrontMatter};
use crate::mapped::MappedText;

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
        let mut reader = Reader::new(body, start);
        for (event, range) in Parser::new_ext(body, options()).into_offset_iter() {
            reader.event(event, range);
        }
        reader.builder.finish(&mut document);
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

/// Hands events to the builder.
struct Reader<'a> {
    body: &'a str,
    /// Where the body starts in the canonical text.
    base: usize,
    builder: Builder,
    html: Option<Range<usize>>,
    /// Columns of the table that is being read.
    columns: usize,
}

impl<'a> Reader<'a> {
    fn new(body: &'a str, base: usize) -> Self {
        Self {
            body,
            base,
            builder: Builder::default(),
            html: None,
            columns: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let place = self.placed(range.clone());
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::Text(text) | Event::Code(text) => self.text(&text, range),
            Event::SoftBreak => self.builder.space(place, true),
            Event::HardBreak => self.builder.line_break(place),
            Event::InlineHtml(html) if tags::is_break(&html) => self.builder.line_break(place),
            Event::Html(_) => self.extend_html(&range),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]"), range),
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }, range),
            Event::InlineHtml(_) | Event::Rule | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let builder = &mut self.builder;
        match tag {
            Tag::Heading { .. } => builder.close_paragraph(),
            Tag::Paragraph => builder.start_paragraph(),
            Tag::DefinitionListDefinition => builder.start_definition(),
            Tag::CodeBlock(kind) => builder.start_code(language(&kind)),
            Tag::List(first) => builder.start_list(first),
            Tag::Item => builder.start_item(),
            Tag::Table(columns) => {
                self.columns = columns.len();
                builder.start_table();
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                builder.start_link(dest_url.into_string());
            }
            Tag::Strong => builder.start_strong(),
            Tag::HtmlBlock => self.html = Some(range),
            Tag::FootnoteDefinition(name) => {
                let place = self.placed(range.start..range.start);
                self.builder.label(&format!("[^{name}]: "), place);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        let place = self.placed(range.clone());
        let builder = &mut self.builder;
        match tag {
            TagEnd::Heading(level) => builder.end_heading(level as u8),
            TagEnd::Paragraph => builder.end_paragraph(),
            TagEnd::CodeBlock => builder.end_code(),
            TagEnd::List(_) => builder.end_list(),
            TagEnd::Item => builder.end_item(),
            TagEnd::TableCell => builder.end_cell(),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(range),
            TagEnd::Table => builder.end_table(),
            TagEnd::Strong => builder.end_strong(),
            TagEnd::Link => builder.end_link(place),
            TagEnd::Image => builder.drop_link(),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::DefinitionListTitle => builder.end_term(),
            TagEnd::DefinitionListDefinition => builder.end_definition(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        let place = self.placed(range);
        self.builder.text(text, place);
    }

    fn placed(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.base..range.end + self.base
    }

    /// Cells beyond the header's are kept, where the table grammar would drop them.
    fn end_row(&mut self, range: &Range<usize>) {
        let surplus = self.surplus_cells(range);
        for cell in &surplus {
            self.builder.cell(cell);
        }
        self.builder.end_row();
        if !surplus.is_empty() {
            let row = self.builder.rows();
            self.builder.note(format!(
                "a table's row {row} has more cells than its header; all are kept"
            ));
        }
    }

    fn surplus_cells(&self, range: &Range<usize>) -> Vec<MappedText> {
        let row = self.body.get(range.clone()).unwrap_or_default();
        let cells = split_row(row);
        let surplus = cells
            .into_iter()
            .skip(self.columns)
            .filter(|(_, cell)| !cell.is_empty());
        surplus
            .map(|(at, cell)| MappedText::verbatim(cell, self.base + range.start + at))
            .collect()
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
        if !text.is_blank() {
            self.builder.paragraph(text);
        }
    }
}

/// The language that a code block states.
fn language<'a>(kind: &'a CodeBlockKind<'_>) -> &'a str {
    match kind {
        CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default(),
        CodeBlockKind::Indented => "",
    }
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
