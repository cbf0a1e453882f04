//! A document's terms, made where tantivy takes them in: on the writer's own thread.

use std::vec::IntoIter;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::terms::document_terms;

/// The name in the schema. It says "default" since version 1 of the layout, for which documents
/// came with their terms already made.
pub(super) const NAME: &str = "default";

/// Cuts a document into its terms.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentTerms;

/// The terms of one document. The index keeps neither places nor offsets.
pub(super) struct Terms {
    rest: IntoIter<String>,
    token: Token,
}

impl Tokenizer for DocumentTerms {
    type TokenStream<'a> = Terms;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Terms {
        Terms {
            rest: document_terms(text).into_iter(),
            token: Token::default(),
        }
    }
}

impl TokenStream for Terms {
    fn advance(&mut self) -> bool {
        let Some(term) = self.rest.next() else {
            return false;
        };
        self.token.text = term;
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
