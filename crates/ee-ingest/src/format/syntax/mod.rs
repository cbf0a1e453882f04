//! Source code by its syntax: one block per item, with the comments and attributes before it.
//!
//! Classes, modules and their like are sections named by their first line; the items inside are
//! blocks of their own. One-line items that follow each other, such as imports, are one block.
//! The blocks cover the whole file.

mod grammar;
mod items;

use tree_sitter::Parser;

use super::TextFormat;
use super::code::Code;
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;
use grammar::Grammar;
use items::{Piece, pieces};

/// The level of the outermost container. A class is a section, not the title of its file.
const OUTERMOST_LEVEL: u8 = 2;

pub(super) struct Syntax {
    grammar: &'static Grammar,
    language: &'static str,
}

impl Syntax {
    /// The syntax of files with this ending, where its grammar is built in.
    pub(super) fn of(ending: &str, language: &'static str) -> Option<Self> {
        let grammar = grammar::of(ending, language)?;
        Some(Self { grammar, language })
    }
}

impl TextFormat for Syntax {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let mut parser = Parser::new();
        let by_layout = || {
            let language = self.language;
            Code { language }.parse(text)
        };
        if parser.set_language(&(self.grammar.language)()).is_err() {
            return by_layout();
        }
        let Some(tree) = parser.parse(text, None) else {
            return by_layout();
        };
        let whole = MappedText::verbatim(text, 0);
        let pieces = pieces(tree.root_node(), text, self.grammar);
        let blocks = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Item(range) => {
                let item = whole.slice(range);
                let language = Some(self.language.to_owned());
                let kind = BlockKind::Code { language };
                (!item.is_blank()).then(|| Block::new(kind, vec![item]))
            }
            Piece::Open { name, place, depth } => {
                let level = OUTERMOST_LEVEL.saturating_add(depth);
                let mut heading = MappedText::default();
                heading.push(&name, place);
                Some(Block::new(BlockKind::Heading { level }, vec![heading]))
            }
            Piece::Close => Some(Block::new(BlockKind::SectionEnd, Vec::new())),
        });
        Ok(Document {
            blocks: blocks.collect(),
            ..Document::default()
        })
    }
}
