//! The body: paragraphs, tables, and what wraps them.

use std::collections::HashMap;

use roxmltree::Node;

use super::numbering::Numbering;
use super::paragraph::Lists;
use super::styles::{Role, Styles};
use super::xml::{Relations, attribute, child, name, parse, value};
use crate::SkipReason;
use crate::document::Document;
use crate::format::anchors::Anchors;
use crate::format::builder::Builder;

/// Tables and wrappers that stand inside each other.
const DEEPEST_NESTING: usize = 64;
/// Blank cells that one wide cell may stand for.
const WIDEST_CELL: usize = 64;

pub(super) struct Reader {
    pub(super) builder: Builder,
    pub(super) relations: Relations,
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    pub(super) anchors: Anchors,
    pub(super) lists: Lists,
    /// What the paragraph before was.
    pub(super) before: Role,
    pub(super) is_in_code: bool,
    pub(super) is_in_heading: bool,
    pub(super) is_bold: bool,
    pub(super) title: Option<String>,
    /// Number of the next item by list and level.
    pub(super) numbers: HashMap<(u32, u8), u64>,
    /// Where the part that is being read begins in the text of all parts.
    pub(super) base: usize,
}

impl Reader {
    pub(super) fn new(relations: Relations, styles: Styles, numbering: Numbering) -> Self {
        Self {
            builder: Builder::default(),
            relations,
            styles,
            numbering,
            anchors: Anchors::default(),
            lists: Lists::default(),
            before: Role::Body,
            is_in_code: false,
            is_in_heading: false,
            is_bold: false,
            title: None,
            numbers: HashMap::new(),
            base: 0,
        }
    }

    /// Closes what is open; gives the text of the title's paragraph.
    pub(super) fn finish(mut self, document: &mut Document) -> Option<String> {
        self.end_run_of(Role::Body);
        self.end_lists();
        self.builder.finish(document);
        self.anchors.resolve(&mut document.blocks);
        self.title
    }

    pub(super) fn body(&mut self, part: &str) -> Result<(), SkipReason> {
        let document = parse(part)?;
        if let Some(body) = child(document.root_element(), "body") {
            self.blocks(body, 0);
        }
        self.base += part.len();
        Ok(())
    }

    /// Footnotes or endnotes, each with its label. Separators have a type.
    pub(super) fn notes(&mut self, part: Option<&str>) -> Result<(), SkipReason> {
        let Some(part) = part else { return Ok(()) };
        let document = parse(part)?;
        for note in document.root_element().children() {
            let id = attribute(note, "id");
            if let (Some(id), None) = (id, attribute(note, "type")) {
                self.end_run_of(Role::Body);
                self.end_lists();
                let place = self.place(note);
                self.builder
                    .label(&format!("[^{id}]: "), place.start..place.start);
                for paragraph in note.children().filter(|node| name(*node) == "p") {
                    self.builder.start_paragraph();
                    self.runs(paragraph, 0);
                }
                self.builder.close_paragraph();
            }
        }
        self.base += part.len();
        Ok(())
    }

    /// The range of a node, among all parts.
    pub(super) fn place(&self, node: Node<'_, '_>) -> std::ops::Range<usize> {
        let range = node.range();
        self.base + range.start..self.base + range.end
    }

    pub(super) fn blocks(&mut self, parent: Node<'_, '_>, depth: usize) {
        if depth > DEEPEST_NESTING {
            return;
        }
        for node in parent.children() {
            match name(node) {
                "p" => self.paragraph(node),
                "tbl" => self.table(node, depth + 1),
                "bookmarkStart" => self.bookmark(node),
                "sdt" if is_contents(node) => {}
                "sdt" | "sdtContent" | "ins" | "moveTo" | "customXml" | "smartTag" => {
                    self.blocks(node, depth + 1);
                }
                "AlternateContent" => {
                    if let Some(choice) = child(node, "Choice") {
                        self.blocks(choice, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn bookmark(&mut self, node: Node<'_, '_>) {
        if let Some(name) = attribute(node, "name") {
            self.anchors.meet(name.to_owned());
        }
    }

    /// A table; one of a single cell is a box around text.
    fn table(&mut self, table: Node<'_, '_>, depth: usize) {
        let rows: Vec<_> = rows(table);
        let count: usize = rows.iter().map(|row| cells(*row).len()).sum();
        if count <= 1 {
            for cell in rows.into_iter().flat_map(cells) {
                self.blocks(cell, depth);
            }
            return;
        }
        self.end_run_of(Role::Body);
        self.end_lists();
        self.builder.start_table();
        for row in rows {
            for cell in cells(row) {
                self.cell(cell, depth);
            }
            self.builder.end_row();
        }
        self.builder.end_table();
    }

    /// A cell as one line; a wide one leaves the columns it covers blank, and one that goes on
    /// with the cell above is blank.
    fn cell(&mut self, cell: Node<'_, '_>, depth: usize) {
        let properties = child(cell, "tcPr");
        let merge = properties.and_then(|properties| child(properties, "vMerge"));
        let goes_on = merge.is_some_and(|merge| attribute(merge, "val") != Some("restart"));
        if !goes_on {
            self.line(cell, depth);
        }
        let columns = properties.and_then(|properties| value(properties, "gridSpan"));
        let columns = columns.and_then(|columns| columns.parse().ok());
        for _ in 0..columns.unwrap_or(1).clamp(1, WIDEST_CELL) {
            self.builder.end_cell();
        }
    }

    /// All paragraphs below a node on one line.
    fn line(&mut self, node: Node<'_, '_>, depth: usize) {
        if depth > DEEPEST_NESTING {
            return;
        }
        for node in node.children().filter(Node::is_element) {
            if name(node) == "p" {
                let place = self.place(node);
                self.runs(node, 0);
                self.builder.space(place.end..place.end, false);
            } else if name(node) != "tcPr" {
                self.line(node, depth + 1);
            }
        }
    }
}

fn rows<'a, 'i>(table: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    wrapped(table, "tr")
}

fn cells<'a, 'i>(row: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    wrapped(row, "tc")
}

/// The children of a name, also those that a content control or a change wraps.
fn wrapped<'a, 'i>(parent: Node<'a, 'i>, wanted: &str) -> Vec<Node<'a, 'i>> {
    let mut found = Vec::new();
    for node in parent.children() {
        if name(node) == wanted {
            found.push(node);
        } else if matches!(name(node), "sdt" | "customXml" | "ins") {
            let inner = child(node, "sdtContent").unwrap_or(node);
            found.extend(inner.children().filter(|node| name(*node) == wanted));
        }
    }
    found
}

/// Whether a content control holds a table of contents.
fn is_contents(control: Node<'_, '_>) -> bool {
    let part = child(control, "sdtPr").and_then(|properties| child(properties, "docPartObj"));
    let gallery = part.and_then(|part| value(part, "docPartGallery"));
    gallery == Some("Table of Contents")
}
