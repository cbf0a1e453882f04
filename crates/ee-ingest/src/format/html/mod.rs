//! HTML: tokens by the WHATWG standard, arranged by the elements that structure a text.
//!
//! Scripts, styles, navigation and hidden elements are left out; tables that only arrange a page
//! are read as running text. Places are bytes of the source, character references included.

mod characters;
mod elements;
mod reader;
mod survey;

use std::convert::Infallible;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StringReader, Token, Tokenizer};

use super::TextFormat;
use crate::SkipReason;
use crate::document::{BlockKind, Document};
use reader::Reader;
use survey::Survey;

pub(super) struct Html;

impl TextFormat for Html {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let survey = Survey::of(text);
        let mut reader = Reader::new(text, &survey);
        for token in tokens(text) {
            reader.token(token);
        }
        let mut document = Document::default();
        let title = reader.finish(&mut document);
        let has_first_heading = document
            .blocks
            .iter()
            .any(|block| block.kind == BlockKind::Heading { level: 1 });
        document.title = title.filter(|_| !has_first_heading);
        Ok(document)
    }
}

/// The tokens of a text with their places.
fn tokens(text: &str) -> impl Iterator<Item = Token<usize>> + '_ {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let tokenizer: Tokenizer<StringReader<'_>, _> = Tokenizer::new_with_emitter(text, emitter);
    tokenizer.map(|token: Result<Token<usize>, Infallible>| match token {
        Ok(token) => token,
        Err(never) => match never {},
    })
}
