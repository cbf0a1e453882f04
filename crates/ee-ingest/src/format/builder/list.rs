//! Lists, nested ones included, as the items of one block.

use super::Builder;
use crate::document::BlockKind;
use crate::mapped::MappedText;

/// Levels of nesting that are shown by indentation.
const DEEPEST_INDENT: usize = 8;

#[derive(Debug)]
pub(super) struct List {
    ordered: bool,
    /// Per level of nesting the number of the next item; absent where items have no numbers.
    numbers: Vec<Option<u64>>,
    parts: Vec<(MappedText, usize)>,
}

impl List {
    pub(super) fn extend(&mut self, part: Option<(MappedText, usize)>) {
        self.parts.extend(part);
    }

    /// What was read so far.
    pub(super) fn take(&mut self) -> (BlockKind, Vec<(MappedText, usize)>) {
        let ordered = self.ordered;
        (BlockKind::List { ordered }, std::mem::take(&mut self.parts))
    }

    /// The marker of the next item, with its indent.
    fn next_marker(&mut self) -> String {
        let depth = self.numbers.len().saturating_sub(1);
        let marker = match self.numbers.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        };
        "  ".repeat(depth.min(DEEPEST_INDENT)) + &marker
    }
}

impl Builder {
    /// A list begins whose first item has the number `first`, or whose items have none.
    pub(in crate::format) fn start_list(&mut self, first: Option<u64>) {
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
        list.extend(continued.then_some(text));
        list.numbers.push(first);
    }

    pub(in crate::format) fn start_item(&mut self) {
        let Some(list) = &mut self.list else { return };
        let marker = list.next_marker();
        self.inline.push_glue(&marker);
        self.marker = self.inline.as_str().len();
    }

    pub(in crate::format) fn end_item(&mut self) {
        let continued = self.is_continued();
        let text = self.take_inline();
        if let Some(list) = &mut self.list {
            list.extend(continued.then_some(text));
        }
    }

    pub(in crate::format) fn end_list(&mut self) {
        let Some(mut list) = self.list.take() else {
            return;
        };
        list.numbers.pop();
        if list.numbers.is_empty() {
            let (kind, parts) = list.take();
            self.push_block(kind, parts);
        } else {
            self.list = Some(list);
        }
    }
}
