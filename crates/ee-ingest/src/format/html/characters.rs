//! Character references in the text of a page.

use html5gum::{Token, Tokenizer};

/// A stretch of the source and what it reads as.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Characters<'a> {
    /// Text that stands in the source as it is.
    Plain(&'a str),
    /// A reference such as `&amp;`, with its length in the source.
    Reference(String, usize),
}

/// Cuts raw text at its character references.
pub(super) fn characters(raw: &str) -> Vec<Characters<'_>> {
    let mut found = Vec::new();
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        let length = reference_length(from);
        let (reference, after) = from.split_at(length);
        if !before.is_empty() {
            found.push(Characters::Plain(before));
        }
        found.push(match decoded(reference) {
            text if text == reference => Characters::Plain(reference),
            text => Characters::Reference(text, length),
        });
        rest = after;
    }
    if !rest.is_empty() {
        found.push(Characters::Plain(rest));
    }
    found
}

/// The length of an ampersand with the name or number after it.
fn reference_length(from: &str) -> usize {
    let inner = from.get(1..).unwrap_or_default();
    let name = inner
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '#'))
        .unwrap_or(inner.len());
    let semicolon = inner.get(name..).is_some_and(|rest| rest.starts_with(';'));
    1 + name + usize::from(semicolon)
}

/// What a reference reads as, by the rules of the standard.
fn decoded(reference: &str) -> String {
    let mut text = String::new();
    for token in Tokenizer::new(reference) {
        if let Ok(Token::String(characters)) = token {
            text.push_str(&String::from_utf8_lossy(&characters.value.0));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_from_plain_ampersands() {
        let reference = |text: &str, length| Characters::Reference(text.to_owned(), length);
        assert_eq!(
            characters("a &amp; b &#x6c34;&copy 1 AT&T"),
            [
                Characters::Plain("a "),
                reference("&", 5),
                Characters::Plain(" b "),
                reference("水", 8),
                reference("©", 5),
                Characters::Plain(" 1 AT"),
                Characters::Plain("&T"),
            ]
        );
    }
}
