//! The pages of a file as lines of text.

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::fonts::{Fonts, dictionary, stated};
use super::guard;
use super::interpreter::Interpreter;
use super::lines::{Line, lines};
use crate::SkipReason;

/// Content of one page that is read; what is beyond is drawing rather than text.
const MOST_PAGE_BYTES: usize = 8 * 1024 * 1024;
/// Content of all pages that is read.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// Nodes of the page tree from a page up.
const MOST_ANCESTORS: usize = 64;

/// A page with its number from 1.
pub(super) struct Page {
    pub(super) number: u32,
    pub(super) lines: Vec<Line>,
}

/// Bytes that may still be unpacked.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub(super) fn left(&self) -> usize {
        self.left.min(MOST_PAGE_BYTES)
    }

    /// Takes bytes off; `false` when there are fewer left.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// All pages with text, in order. Pages that cannot be read are noted.
pub(super) fn pages(file: &Document, notes: &mut Vec<String>) -> Result<Vec<Page>, SkipReason> {
    let stated = stated(file);
    let mut fonts = Fonts::new(file, &stated);
    let mut budget = Budget { left: MOST_BYTES };
    let mut pages = Vec::new();
    let mut unexplained = Vec::new();
    for (number, id) in file.get_pages() {
        if let Err(error) = file.get_dictionary(id) {
            notes.push(format!("page {number} is left out: {error}"));
            continue;
        }
        let content = match file.get_page_content_with_limit(id, budget.left()) {
            Ok(content) => content,
            Err(_) if budget.left() < MOST_PAGE_BYTES => return Err(guard::too_large()),
            Err(error) => {
                notes.push(format!("page {number} is left out: {error}"));
                continue;
            }
        };
        if !budget.spend(content.len()) {
            return Err(guard::too_large());
        }
        let mut interpreter = Interpreter::new(file, &mut fonts, &mut budget);
        if let Some(resources) = resources(file, id) {
            interpreter.read(&content, resources);
        }
        if interpreter.has_unknown {
            unexplained.push(number.to_string());
        }
        let lines = lines(std::mem::take(&mut interpreter.runs));
        pages.push(Page { number, lines });
    }
    if pages.is_empty() {
        return Err(super::malformed("no page can be read"));
    }
    if !unexplained.is_empty() {
        notes.push(format!(
            "text is left out whose letters the file does not explain, on page {}",
            unexplained.join(", ")
        ));
    }
    Ok(pages)
}

/// The resources of a page, its own or those of the nearest node above it.
fn resources(file: &Document, page: ObjectId) -> Option<&Dictionary> {
    let mut node = file.get_dictionary(page).ok()?;
    for _ in 0..MOST_ANCESTORS {
        if let Ok(resources) = node.get(b"Resources") {
            return dictionary(file, resources);
        }
        let parent = node.get(b"Parent").and_then(Object::as_reference).ok()?;
        node = file.get_dictionary(parent).ok()?;
    }
    None
}
