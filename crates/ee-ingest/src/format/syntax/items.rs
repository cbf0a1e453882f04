//! Cutting a syntax tree into items.

use std::ops::Range;

use tree_sitter::Node;

use super::grammar::Grammar;

/// Containers inside containers that are opened; deeper ones stay whole.
const DEEPEST_CONTAINER: u8 = 6;
/// A container's name is cut here.
const LONGEST_NAME: usize = 120;
/// Directives around items whose inside is items again.
const CONDITIONS: [&str; 3] = ["preproc_if", "preproc_ifdef", "preproc_ifndef"];

/// A piece of a file, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text from one byte to another.
    Item(Range<usize>),
    /// What follows stands inside a container of this name.
    Open {
        name: String,
        place: Range<usize>,
        depth: u8,
    },
    Close,
}

/// The pieces of a tree; the items among them cover the text.
pub(super) fn pieces(root: Node<'_>, text: &str, grammar: &Grammar) -> Vec<Piece> {
    let mut cutter = Cutter {
        text,
        grammar,
        pieces: Vec::new(),
        at: 0,
    };
    cutter.members(root, 0, false);
    cutter.cut(text.len());
    cutter.pieces
}

struct Cutter<'a> {
    text: &'a str,
    grammar: &'a Grammar,
    pieces: Vec<Piece>,
    /// The end of the last piece.
    at: usize,
}

/// An item with what belongs to it.
struct Item<'t> {
    node: Node<'t>,
    /// Where the comments and attributes before it begin.
    start: usize,
    is_documented: bool,
}

impl Item<'_> {
    fn is_one_line(&self) -> bool {
        let first = self.node.start_position().row;
        // A node may end with the line end after it.
        let end = self.node.end_position();
        let last = if end.column == 0 {
            end.row.saturating_sub(1)
        } else {
            end.row
        };
        first >= last && !self.is_documented
    }
}

impl Cutter<'_> {
    /// Cuts before each item of a node, unless it is a line among lines, or the first where that
    /// goes on with what is before.
    fn members(&mut self, parent: Node<'_>, depth: u8, goes_on: bool) {
        let mut before: Option<(bool, usize)> = None;
        for (at, item) in self.items(parent).into_iter().enumerate() {
            let one_line = item.is_one_line();
            let joins = before.is_some_and(|(was_one_line, row)| {
                one_line && was_one_line && item.node.start_position().row <= row + 1
            });
            let continues = goes_on && at == 0;
            if !joins && !continues {
                self.cut(item.start);
            }
            before = Some((one_line, item.node.end_position().row));
            self.open(&item, depth);
        }
    }

    /// The items among a node's children. Comments and attributes belong to the item after them,
    /// unless a blank line stands between.
    fn items<'t>(&self, parent: Node<'t>) -> Vec<Item<'t>> {
        let mut items: Vec<Item<'t>> = Vec::new();
        let mut start: Option<(usize, usize)> = None;
        let mut cursor = parent.walk();
        let conditional = CONDITIONS.contains(&parent.kind());
        for node in parent.named_children(&mut cursor) {
            // What a directive asks for stands on its own line.
            if conditional && node.start_position().row == parent.start_position().row {
                continue;
            }
            let is_comment = node.kind().contains("comment");
            let is_prefix = is_comment || self.grammar.prefixes.contains(&node.kind());
            let row = node.start_position().row;
            // A comment behind an item on the same line is that item's.
            let trails = is_comment
                && start.is_none()
                && items
                    .last()
                    .is_some_and(|item| item.node.end_position().row == row);
            if trails {
                continue;
            }
            let adjoins = start.is_some_and(|(_, end)| row <= end + 1);
            let from = start.filter(|_| adjoins || !is_comment && is_prefix);
            let from = from.map_or(node.start_byte(), |(from, _)| from);
            if is_prefix {
                start = Some((from, last_row(node)));
                continue;
            }
            items.push(Item {
                node,
                start: self.line_start(from),
                is_documented: from < node.start_byte(),
            });
            start = None;
        }
        items
    }

    /// Opens a container with items inside, so that they are cut too.
    fn open(&mut self, item: &Item<'_>, depth: u8) {
        let Some((container, body)) = self.container(item.node) else {
            return;
        };
        let is_line = container.start_position().row == container.end_position().row;
        if depth >= DEEPEST_CONTAINER || is_line {
            return;
        }
        let inner = self.items(body);
        let Some(first) = inner.first() else { return };
        // A bare first line stays with the first item, and so do lines such as fields.
        let header = self.text.get(self.at..first.start).unwrap_or_default();
        let lines = header.lines().filter(|line| !line.trim().is_empty());
        let goes_on = lines.count() <= 1 || first.is_one_line();
        if CONDITIONS.contains(&container.kind()) {
            return self.members(body, depth + 1, goes_on);
        }
        let place = container.start_byte()..body.start_byte();
        let name = self.text.get(place.clone()).unwrap_or_default();
        self.pieces.push(Piece::Open {
            name: shortened(name),
            place,
            depth,
        });
        self.members(body, depth + 1, goes_on);
        self.cut(self.statement_end(item.node.end_byte()));
        self.pieces.push(Piece::Close);
    }

    /// The container that a node is or wraps, with the node that holds its items.
    fn container<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        if CONDITIONS.contains(&node.kind()) {
            return Some((node, node));
        }
        if self.grammar.containers.contains(&node.kind()) {
            let body = node.child_by_field_name("body")?;
            return Some((node, body));
        }
        if !self.grammar.wrappers.contains(&node.kind()) {
            return None;
        }
        let mut cursor = node.walk();
        let mut inner = node.named_children(&mut cursor);
        inner.find_map(|inner| {
            let is_container = self.grammar.containers.contains(&inner.kind());
            let body = inner.child_by_field_name("body").filter(|_| is_container)?;
            Some((inner, body))
        })
    }

    /// The end of a statement with the semicolon and the comment after it.
    fn statement_end(&self, end: usize) -> usize {
        let rest = self.text.get(end..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let after = line.trim().trim_start_matches(';').trim_start();
        if after.is_empty() || after.starts_with("//") {
            end + line.len()
        } else {
            end
        }
    }

    /// Ends a piece here. One without letters, such as a closing brace, goes on with the last item.
    fn cut(&mut self, end: usize) {
        let text = self.text.get(self.at..end).unwrap_or_default();
        if end <= self.at || text.trim().is_empty() {
            return;
        }
        let mut last = self.pieces.iter_mut().rev();
        match last.find(|piece| **piece != Piece::Close) {
            Some(Piece::Item(item)) if !text.contains(char::is_alphanumeric) => item.end = end,
            _ => self.pieces.push(Piece::Item(self.at..end)),
        }
        self.at = end;
    }

    /// The start of the line, where nothing but indent stands before.
    fn line_start(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        let indent = before.len() - before.trim_end_matches([' ', '\t']).len();
        let line = at - indent;
        let text = before.get(..line).unwrap_or_default();
        if text.is_empty() || text.ends_with('\n') {
            line
        } else {
            at
        }
    }
}

fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    // A line comment may end with the line end after it.
    if end.column == 0 {
        end.row.saturating_sub(1)
    } else {
        end.row
    }
}

/// A container's first line as a name.
fn shortened(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ");
    let name = name.trim_end_matches(['{', ':', ' ']);
    name.chars().take(LONGEST_NAME).collect()
}
