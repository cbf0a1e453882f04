//! Source code by its layout: items start at the left margin after a blank line.

use super::TextFormat;
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;

/// Lines that end an item rather than start one.
const CLOSERS: [&str; 6] = ["}", ")", "]", "end", "fi", "done"];

pub(super) struct Code {
    pub(super) language: &'static str,
}

impl TextFormat for Code {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let whole = MappedText::verbatim(text, 0);
        let blocks = items(&whole).into_iter().map(|item| {
            let language = Some(self.language.to_owned());
            Block::new(BlockKind::Code { language }, vec![item])
        });
        Ok(Document {
            blocks: blocks.collect(),
            ..Document::default()
        })
    }
}

/// The items of a piece of code, each with the comments before it and the blank lines after it.
pub(super) fn items(code: &MappedText) -> Vec<MappedText> {
    let text = code.as_str();
    let mut starts = Vec::new();
    let mut after_blank = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let blank = line.trim().is_empty();
        let margin = !line.starts_with([' ', '\t']);
        let closes = CLOSERS.iter().any(|closer| line.starts_with(closer));
        if !blank && after_blank && margin && !closes {
            starts.push(at);
        }
        after_blank = blank;
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut items = Vec::new();
    let first = starts.first().copied().unwrap_or_default();
    if !text.get(..first).unwrap_or_default().trim().is_empty() {
        items.push(code.slice(0..first));
    }
    items.extend(
        starts
            .iter()
            .zip(ends)
            .map(|(start, end)| code.slice(*start..end)),
    );
    if items.is_empty() && !code.is_blank() {
        items.push(code.clone());
    }
    items
}
