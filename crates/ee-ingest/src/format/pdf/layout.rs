//! From lines to blocks.

use super::lines::Line;
use super::page::Page;
use super::roles::{Roles, drop_running};
use crate::document::{Block, BlockKind};
use crate::format::listing::{Listing, marker};
use crate::mapped::MappedText;
use crate::patterns::is_unspaced;

/// Lines with the same number of columns that make a table.
const FEWEST_ROWS: usize = 3;
/// Columns with more characters on average are columns of running text.
const WIDEST_CELL: usize = 40;
/// How far an item's next line is indented at least, in sizes of the letters.
const ITEM_INDENT: f32 = 0.3;

/// The blocks of all pages, each with its page.
pub(super) fn blocks(mut pages: Vec<Page>, notes: &mut Vec<String>) -> Vec<Block> {
    drop_running(&mut pages, notes);
    let roles = Roles::of(&pages);
    let mut writer = Writer {
        roles: &roles,
        blocks: Vec::new(),
        page: 1,
        at: 0,
        paragraph: MappedText::default(),
        listing: Listing::default(),
        item_x: 0.0,
        heading: None,
    };
    for page in &pages {
        writer.page(page);
    }
    writer.blocks
}

struct Writer<'a> {
    roles: &'a Roles,
    blocks: Vec<Block>,
    page: u32,
    /// Bytes of text so far, which order the blocks.
    at: usize,
    paragraph: MappedText,
    listing: Listing,
    /// Where the last item's marker stands.
    item_x: f32,
    /// The heading that was written last, while its next line may follow.
    heading: Option<u8>,
}

impl Writer<'_> {
    fn page(&mut self, page: &Page) {
        self.page = page.number;
        let lines = page.lines.as_slice();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let before = at.checked_sub(1).and_then(|before| lines.get(before));
            let rows = table_rows(lines.get(at..).unwrap_or_default());
            if rows > 0 {
                self.table(lines.get(at..at + rows).unwrap_or_default());
                at += rows;
                continue;
            }
            self.line(line, before, lines.get(at + 1));
            at += 1;
        }
        self.flush();
    }

    fn line(&mut self, line: &Line, before: Option<&Line>, after: Option<&Line>) {
        let parts = before.is_none_or(|before| self.roles.parts(before, line));
        if let Some(level) = self.roles.heading(line, before, after) {
            return self.heading(line, level, parts);
        }
        let text = self.placed(&line.text);
        if let Some(found) = marker(&line.text) {
            if !self.paragraph.is_blank() || !self.listing.takes(found) {
                self.flush();
            }
            let item = text.slice(found.length..line.text.len());
            self.listing.push(found, &item);
            self.item_x = line.x;
            self.heading = None;
            return;
        }
        let indented = line.x - self.item_x > ITEM_INDENT * line.size;
        if !self.listing.is_empty() && !parts && indented {
            let glue = glue(before.map_or("", |before| before.text.as_str()), &line.text);
            return self.listing.extend(glue, &text);
        }
        if parts || !self.listing.is_empty() || self.heading.is_some() {
            self.flush();
        }
        self.extend_paragraph(&text);
    }

    /// A heading, or the next line of one.
    fn heading(&mut self, line: &Line, level: u8, parts: bool) {
        let text = self.placed(&line.text);
        if self.heading == Some(level) && !parts {
            let last = self.blocks.last_mut();
            if let Some(heading) = last.and_then(|block| block.parts.first_mut()) {
                let glue = glue(heading.as_str(), text.as_str());
                heading.append(glue, &text);
                return;
            }
        }
        self.flush();
        self.push(Block::new(BlockKind::Heading { level }, vec![text]));
        self.heading = Some(level);
    }

    /// Joins a line to the paragraph; a word that is cut by a hyphen becomes whole.
    fn extend_paragraph(&mut self, text: &MappedText) {
        let before = self.paragraph.as_str();
        let stem = before.trim_end_matches(['-', '\u{ad}', '\u{2010}']);
        let lower = |c: Option<char>| c.is_some_and(char::is_lowercase);
        let cut = before.len() > stem.len()
            && lower(stem.chars().next_back())
            && lower(text.as_str().chars().next());
        if cut {
            self.paragraph = self.paragraph.slice(0..stem.len());
            self.paragraph.append("", text);
        } else {
            let glue = glue(before, text.as_str());
            self.paragraph.append(glue, text);
        }
    }

    fn table(&mut self, lines: &[Line]) {
        self.flush();
        let mut rows = Vec::new();
        for line in lines {
            let mut row = MappedText::default();
            for cell in &line.cells {
                let cell = self.placed(cell);
                row.append("| ", &cell);
                row.push_glue(" ");
            }
            row.push_glue("|");
            rows.push(row);
        }
        self.push(Block::new(BlockKind::Table, rows));
    }

    /// Writes the paragraph or list that is being read.
    fn flush(&mut self) {
        self.heading = None;
        if let Some(list) = self.listing.take() {
            self.push(list);
        }
        let paragraph = std::mem::take(&mut self.paragraph);
        if !paragraph.is_blank() {
            self.push(Block::new(BlockKind::Paragraph, vec![paragraph]));
        }
    }

    fn push(&mut self, mut block: Block) {
        block.page = Some(self.page);
        self.blocks.push(block);
    }

    fn placed(&mut self, text: &str) -> MappedText {
        let placed = MappedText::verbatim(text, self.at);
        self.at += text.len() + 1;
        placed
    }
}

/// What stands between two lines of a paragraph.
fn glue(before: &str, after: &str) -> &'static str {
    let ends = [before.chars().next_back(), after.chars().next()];
    let unspaced = ends.iter().all(|c| c.is_some_and(is_unspaced));
    if before.is_empty() || unspaced {
        ""
    } else {
        " "
    }
}

/// How many lines from the first on are rows of a table: as many columns each, and short ones.
fn table_rows(lines: &[Line]) -> usize {
    let Some(columns) = lines.first().map(|line| line.cells.len()) else {
        return 0;
    };
    let rows = lines
        .iter()
        .take_while(|line| line.cells.len() == columns && marker(&line.text).is_none())
        .count();
    let rows_of = lines.get(..rows).unwrap_or_default();
    let letters: usize = rows_of.iter().map(|line| line.text.chars().count()).sum();
    let narrow = letters <= rows * columns * WIDEST_CELL;
    if columns > 1 && rows >= FEWEST_ROWS && narrow {
        rows
    } else {
        0
    }
}
