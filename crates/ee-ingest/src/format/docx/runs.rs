//! Runs: the letters of a paragraph, links, breaks and notes.

use roxmltree::Node;

use super::body::Reader;
use super::xml::{attribute, child, is_on, name, value};

/// Links, changes and controls that stand inside each other.
const DEEPEST_NESTING: usize = 64;

impl Reader {
    /// Reads what a paragraph holds.
    pub(super) fn runs(&mut self, parent: Node<'_, '_>, depth: usize) {
        self.inside(parent, depth);
        if depth == 0 {
            self.set_bold(false);
        }
    }

    fn inside(&mut self, parent: Node<'_, '_>, depth: usize) {
        if depth > DEEPEST_NESTING {
            return;
        }
        for node in parent.children() {
            match name(node) {
                "r" => self.run(node, depth),
                "hyperlink" => self.link(node, depth),
                "bookmarkStart" => self.bookmark(node),
                "oMath" | "oMathPara" => self.formula(node),
                "AlternateContent" => {
                    if let Some(choice) = child(node, "Choice") {
                        self.inside(choice, depth + 1);
                    }
                }
                "ins" | "moveTo" | "sdt" | "sdtContent" | "smartTag" | "customXml"
                | "fldSimple" | "dir" | "bdo" => self.inside(node, depth + 1),
                _ => {}
            }
        }
    }

    fn run(&mut self, run: Node<'_, '_>, depth: usize) {
        let properties = child(run, "rPr");
        let hidden = properties.and_then(|properties| is_on(properties, "vanish"));
        if hidden == Some(true) {
            return;
        }
        let bold = properties.and_then(|properties| is_on(properties, "b"));
        let style = properties.and_then(|properties| value(properties, "rStyle"));
        let styled = || style.is_some_and(|style| self.styles.is_bold(style));
        let bold = bold.unwrap_or_else(styled);
        for node in run.children() {
            let place = self.place(node);
            match name(node) {
                "t" => {
                    self.set_bold(bold);
                    self.letters(node);
                }
                "tab" | "ptab" => self.builder.space(place, false),
                "br" | "cr" if attribute(node, "type").is_none() => {
                    self.builder.line_break(place);
                }
                "noBreakHyphen" => self.builder.text("-", place),
                "footnoteReference" | "endnoteReference" => {
                    let id = attribute(node, "id").unwrap_or_default();
                    self.builder.text(&format!("[^{id}]"), place);
                }
                "drawing" | "pict" | "AlternateContent" => self.drawing(node, depth),
                _ => {}
            }
        }
    }

    /// Bold runs that follow each other are one emphasis.
    fn set_bold(&mut self, bold: bool) {
        match (self.is_bold, bold) {
            (false, true) => self.builder.start_strong(),
            (true, false) => self.builder.end_strong(),
            _ => {}
        }
        self.is_bold = bold;
    }

    fn letters(&mut self, node: Node<'_, '_>) {
        for text in node.children().filter(Node::is_text) {
            let place = self.place(text);
            let letters = text.text().unwrap_or_default();
            if !letters.trim().is_empty() && !self.is_in_heading {
                self.anchors.text();
            }
            self.builder.words(letters, &place);
        }
    }

    fn link(&mut self, link: Node<'_, '_>, depth: usize) {
        let outside = attribute(link, "id").and_then(|id| self.relations.target(id));
        let anchor = attribute(link, "anchor").map(|anchor| format!("#{anchor}"));
        let target = match (outside, anchor) {
            (Some(outside), Some(anchor)) => format!("{outside}{anchor}"),
            (Some(outside), None) => outside.to_owned(),
            (None, anchor) => anchor.unwrap_or_default(),
        };
        let place = self.place(link);
        self.builder.start_link(target);
        self.inside(link, depth + 1);
        self.builder.end_link(place);
    }

    /// A formula as its letters.
    fn formula(&mut self, formula: Node<'_, '_>) {
        let texts = formula.descendants().filter(|node| name(*node) == "t");
        for text in texts {
            self.letters(text);
        }
    }

    /// The text boxes of a drawing, and what a picture is said to show.
    fn drawing(&mut self, drawing: Node<'_, '_>, depth: usize) {
        if depth > DEEPEST_NESTING {
            return;
        }
        for node in drawing.children().filter(Node::is_element) {
            match name(node) {
                "txbxContent" => {
                    for paragraph in node.descendants().filter(|node| name(*node) == "p") {
                        let place = self.place(paragraph);
                        self.builder.space(place.start..place.start, false);
                        self.inside(paragraph, depth + 1);
                    }
                }
                "docPr" => {
                    let place = self.place(node);
                    let text = attribute(node, "descr").unwrap_or_default();
                    self.builder.words(text, &place);
                }
                "Fallback" => {}
                _ => self.drawing(node, depth + 1),
            }
        }
    }

    /// The letters of a line of code, white space and all.
    pub(super) fn code_runs(&mut self, parent: Node<'_, '_>, depth: usize) {
        if depth > DEEPEST_NESTING {
            return;
        }
        for node in parent.children().filter(Node::is_element) {
            let place = self.place(node);
            match name(node) {
                "t" => {
                    for text in node.children().filter(Node::is_text) {
                        let place = self.place(text);
                        self.builder.text(text.text().unwrap_or_default(), place);
                    }
                }
                "tab" => self.builder.text("\t", place),
                "br" | "cr" => self.builder.text("\n", place),
                "del" | "pPr" | "rPr" => {}
                _ => self.code_runs(node, depth + 1),
            }
        }
    }
}
