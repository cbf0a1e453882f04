//! From tokens to the parts of a text; missing end tags are supplied.

use std::ops::Range;

use html5gum::{StartTag, Token};

use super::characters::{Characters, characters};
use super::elements::{attribute, heading, is_inline, name_of};
use super::survey::Survey;
use crate::document::Document;
use crate::format::anchors::Anchors;
use crate::format::builder::Builder;

/// Blank cells that one wide cell may stand for.
const WIDEST_CELL: usize = 64;

/// What links in a heading to the heading itself show.
const PERMALINKS: [&str; 3] = ["¶", "#", "🔗"];

/// The elements that structure a text while they are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Title,
    Heading(u8),
    List,
    Item,
    Table,
    Row,
    Cell { columns: usize },
    Term,
    Definition,
    Code,
}

pub(super) struct Reader<'a> {
    text: &'a str,
    survey: &'a Survey,
    builder: Builder,
    anchors: Anchors,
    open: Vec<Element>,
    title: String,
    /// Where the silent element ends that is being passed over.
    silent_until: usize,
    /// Where the token stands that is being read.
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, survey: &'a Survey) -> Self {
        Self {
            text,
            survey,
            builder: Builder::default(),
            anchors: Anchors::default(),
            open: Vec::new(),
            title: String::new(),
            silent_until: 0,
            at: 0,
        }
    }

    /// Closes what is open; gives the page's title.
    pub(super) fn finish(mut self, document: &mut Document) -> Option<String> {
        self.close_down_to(0);
        self.builder.finish(document);
        self.anchors.resolve(&mut document.blocks);
        let title: Vec<&str> = self.title.split_whitespace().collect();
        (!title.is_empty()).then(|| title.join(" "))
    }

    pub(super) fn token(&mut self, token: Token<usize>) {
        match token {
            Token::StartTag(tag) if tag.span.start >= self.silent_until => self.start(&tag),
            Token::EndTag(tag) if tag.span.start >= self.silent_until => {
                self.end(&name_of(&tag.name), tag.span.start..tag.span.end);
            }
            Token::String(string) if string.span.start >= self.silent_until => {
                self.characters(string.span.start..string.span.end);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &StartTag<usize>) {
        self.at = tag.span.start;
        if let Some(end) = self.survey.silent_until(tag.span.start) {
            self.silent_until = end;
            return;
        }
        let name = name_of(&tag.name);
        let id = attribute(tag, "id").or_else(|| match name.as_str() {
            "a" => attribute(tag, "name"),
            _ => None,
        });
        if let Some(id) = id {
            self.anchors.meet(id);
        }
        if !self.start_inline(&name, tag) {
            self.start_block(&name, tag);
        }
    }

    /// Starts an element that runs inside a line; `false` when it does not.
    fn start_inline(&mut self, name: &str, tag: &StartTag<usize>) -> bool {
        let place = tag.span.start..tag.span.end;
        match name {
            "a" => self.builder.start_link(target(tag)),
            "b" | "strong" => self.builder.start_strong(),
            "br" if self.is_in_line() => self.builder.space(place, true),
            "br" => self.builder.line_break(place),
            "img" => {
                let text = attribute(tag, "alt").unwrap_or_default();
                self.builder.words(&text, &place);
            }
            "input" => self.check_box(tag),
            "code" if self.open.last() == Some(&Element::Code) => {
                let language = attribute(tag, "class").unwrap_or_default();
                self.builder.name_code(code_language(&language));
            }
            _ => return is_inline(name),
        }
        true
    }

    fn start_block(&mut self, name: &str, tag: &StartTag<usize>) {
        match name {
            "title" if self.open.is_empty() => self.open.push(Element::Title),
            "head" | "html" => {}
            _ if self.is_in_cell() && !matches!(name, "td" | "th" | "tr" | "tbody" | "tfoot") => {
                self.boundary();
            }
            "ul" | "ol" | "menu" => self.start_list(name, tag),
            "li" => self.start_item(),
            "dt" => self.start_term(),
            "dd" => self.start_definition(),
            "table" if !self.survey.is_layout(tag.span.start) => self.start_table(),
            "tr" => self.start_row(),
            "td" | "th" => self.start_cell(tag),
            "pre" | "listing" => self.start_code(tag),
            _ => self.start_flow(name),
        }
    }

    /// A heading, or the border of a block.
    fn start_flow(&mut self, name: &str) {
        self.boundary();
        if let Some(level) = heading(name)
            && !self.builder.is_inside()
        {
            self.close_lines();
            self.builder.close_paragraph();
            self.open.push(Element::Heading(level));
        }
    }

    fn end(&mut self, name: &str, place: Range<usize>) {
        self.at = place.start;
        let is = |kind: Element| move |open: &Element| *open == kind;
        match name {
            "a" => self.builder.end_link(place),
            "b" | "strong" => self.builder.end_strong(),
            "br" => self.builder.line_break(place),
            "title" => self.close(is(Element::Title)),
            "ul" | "ol" | "menu" if !self.is_in_cell() => self.close(is(Element::List)),
            "li" if !self.is_in_cell() => self.close(is(Element::Item)),
            "dt" => self.close(is(Element::Term)),
            "dd" => self.close(is(Element::Definition)),
            "dl" => {
                self.close(|open| matches!(open, Element::Term | Element::Definition));
                self.builder.end_terms();
            }
            "table" => self.close(is(Element::Table)),
            "tr" => self.close(is(Element::Row)),
            "td" | "th" => self.close(|open| matches!(open, Element::Cell { .. })),
            "pre" | "listing" => self.close(is(Element::Code)),
            _ if is_inline(name) => {}
            _ => {
                self.close_headings();
                self.boundary();
            }
        }
    }

    /// Text in running words, or as it is in code.
    fn characters(&mut self, range: Range<usize>) {
        let raw = self.text.get(range.clone()).unwrap_or_default();
        let is_heading = matches!(self.open.last(), Some(Element::Heading(_)));
        if !raw.trim().is_empty() && !is_heading {
            self.anchors.text();
        }
        let mut at = range.start;
        for piece in characters(raw) {
            let (text, length) = match &piece {
                Characters::Plain(text) => (*text, text.len()),
                Characters::Reference(text, length) => (text.as_str(), *length),
            };
            let place = at..at + length;
            at += length;
            match self.open.last() {
                Some(Element::Title) => self.title.push_str(text),
                Some(Element::Code) => self.builder.text(text, place),
                Some(Element::Table | Element::Row | Element::List) if text.trim().is_empty() => {}
                Some(Element::Heading(_)) if PERMALINKS.contains(&text.trim()) => {}
                _ => self.builder.words(text, &place),
            }
        }
    }

    /// The border of a block: a space in a cell or heading, a line end in an item, the end of a
    /// paragraph elsewhere.
    fn boundary(&mut self) {
        if self.is_in_line() {
            self.builder.space(self.at..self.at, false);
        } else if self.builder.is_inside() {
            self.builder.start_paragraph();
        } else {
            self.builder.close_paragraph();
        }
    }

    fn is_in_cell(&self) -> bool {
        let is_cell = |open: &&Element| matches!(open, Element::Cell { .. });
        self.open.iter().rev().find(is_cell).is_some()
    }

    /// Whether the text that is being read must not break.
    fn is_in_line(&self) -> bool {
        let last = self.open.last();
        self.is_in_cell() || matches!(last, Some(Element::Heading(_) | Element::Term))
    }

    fn start_list(&mut self, name: &str, tag: &StartTag<usize>) {
        self.close_lines();
        let start = attribute(tag, "start").and_then(|start| start.trim().parse().ok());
        let first = (name == "ol").then(|| start.unwrap_or(1));
        self.builder.start_list(first);
        self.open.push(Element::List);
    }

    fn start_item(&mut self) {
        let structure = |open: &Element| matches!(open, Element::List | Element::Item);
        if self.open.contains(&Element::List) {
            while !self.open.last().is_some_and(structure) {
                self.close_last();
            }
            if self.open.last() == Some(&Element::Item) {
                self.close_last();
            }
        } else {
            self.builder.start_list(None);
            self.open.push(Element::List);
        }
        // Text between the items belongs to none of them.
        self.builder.end_item();
        self.builder.start_item();
        self.open.push(Element::Item);
    }

    fn start_term(&mut self) {
        self.close(|open| matches!(open, Element::Term | Element::Definition));
        self.boundary();
        if !self.builder.is_inside() {
            self.open.push(Element::Term);
        }
    }

    fn start_definition(&mut self) {
        self.close(|open| matches!(open, Element::Term | Element::Definition));
        self.boundary();
        if !self.builder.is_inside() {
            self.builder.start_definition();
            self.open.push(Element::Definition);
        }
    }

    /// Rows open the table, so that a caption before them is a paragraph.
    fn start_table(&mut self) {
        self.close_lines();
        self.boundary();
        self.open.push(Element::Table);
    }

    fn start_row(&mut self) {
        self.close(|open| *open == Element::Row);
        match self.open.last() {
            Some(Element::Table) => {
                self.builder.start_table_once();
                self.open.push(Element::Row);
            }
            _ => self.boundary(),
        }
    }

    fn start_cell(&mut self, tag: &StartTag<usize>) {
        self.close(|open| matches!(open, Element::Cell { .. }));
        if self.open.last() == Some(&Element::Table) {
            self.start_row();
        }
        if self.open.last() == Some(&Element::Row) {
            let columns = attribute(tag, "colspan").and_then(|columns| columns.parse().ok());
            let columns = columns.unwrap_or(1).clamp(1, WIDEST_CELL);
            self.open.push(Element::Cell { columns });
        } else {
            self.boundary();
        }
    }

    fn start_code(&mut self, tag: &StartTag<usize>) {
        self.close_lines();
        let language = attribute(tag, "class").unwrap_or_default();
        self.builder.start_code(code_language(&language));
        self.open.push(Element::Code);
    }

    fn check_box(&mut self, tag: &StartTag<usize>) {
        if attribute(tag, "type").as_deref() == Some("checkbox") {
            let done = attribute(tag, "checked").is_some();
            let place = tag.span.start..tag.span.end;
            self.builder
                .words(if done { "[x] " } else { "[ ] " }, &place);
        }
    }

    /// Closes headings and terms, which nothing but text belongs in.
    fn close_lines(&mut self) {
        while matches!(self.open.last(), Some(Element::Heading(_) | Element::Term)) {
            self.close_last();
        }
    }

    fn close_headings(&mut self) {
        while matches!(self.open.last(), Some(Element::Heading(_))) {
            self.close_last();
        }
    }

    /// Closes the innermost element that is meant, and all inside it. A cell's border holds: what
    /// is outside is not closed from inside, except by the table's own tags.
    fn close(&mut self, is_meant: impl Fn(&Element) -> bool) {
        if let Some(at) = self.open.iter().rposition(is_meant) {
            self.close_down_to(at);
        }
    }

    fn close_down_to(&mut self, length: usize) {
        while self.open.len() > length {
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        match self.open.pop() {
            Some(Element::Heading(level)) => {
                self.anchors.heading(self.builder.current_text());
                self.builder.end_heading(level);
            }
            Some(Element::List) => self.builder.end_list(),
            Some(Element::Item) => self.builder.end_item(),
            Some(Element::Table) => self.builder.end_table(),
            Some(Element::Row) => self.builder.end_row(),
            Some(Element::Cell { columns }) => self.end_cell(columns),
            Some(Element::Term) => self.builder.end_term(),
            Some(Element::Definition) => self.builder.end_definition(),
            Some(Element::Code) => self.builder.end_code(),
            Some(Element::Title) | None => {}
        }
    }

    /// A wide cell leaves the columns it covers blank.
    fn end_cell(&mut self, columns: usize) {
        for _ in 0..columns {
            self.builder.end_cell();
        }
    }
}

/// Where a link leads; nowhere for one that runs a script.
fn target(tag: &StartTag<usize>) -> String {
    let target = attribute(tag, "href").unwrap_or_default();
    let target = target.trim();
    let runs = target.get(..11).unwrap_or_default();
    if runs.eq_ignore_ascii_case("javascript:") {
        return String::new();
    }
    target.to_owned()
}

/// The language that a class such as `language-rust` names.
fn code_language(class: &str) -> &str {
    let mut names = class.split_whitespace();
    let marked = names.find_map(|name| {
        name.strip_prefix("language-")
            .or_else(|| name.strip_prefix("lang-"))
    });
    marked.unwrap_or_default()
}
