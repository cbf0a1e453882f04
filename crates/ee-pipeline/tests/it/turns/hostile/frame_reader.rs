//! A strict reader of the frame, which shares no code with its writer.
//!
//! ```text
//! frame    = "<verified_context>" LF document* omitted? "</verified_context>"
//! document = "<document id=" value [" title=" value] ">" text "</document>" LF
//! omitted  = "<omitted ids=" value " reason=" value "/>" LF
//! value    = '"' text '"'
//! text     = (character | "&amp;" | "&lt;" | "&gt;" | "&quot;" | "&#x" hexadecimal+ ";")*
//! ```
//!
//! A character of a text is none of `<`, `>`, `&`, `"`, nothing that looks like an angle bracket,
//! nothing that steers the direction of the text, and no control character but line feed and tab.

use super::reader::{is_steering, plain};

/// A document as the reader gets it back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) text: String,
}

/// A frame that was read, and what follows it.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) documents: Vec<Read>,
    pub(super) omitted: Vec<usize>,
    pub(super) rest: &'a str,
}

/// Reads the frame at the beginning of `prompt`.
///
/// # Errors
/// What was expected and what stands there instead.
pub(super) fn read(prompt: &str) -> Result<Frame<'_>, String> {
    let mut cursor = Cursor { rest: prompt };
    let (mut documents, mut omitted) = (Vec::new(), Vec::new());
    cursor.expect("<verified_context>\n")?;
    while cursor.accept("<document id=") {
        documents.push(document(&mut cursor)?);
    }
    if cursor.accept("<omitted ids=") {
        let ids = cursor.value()?;
        omitted = ids.split(' ').map(|id| id.parse().unwrap()).collect();
        cursor.expect(" reason=")?;
        cursor.value()?;
        cursor.expect("/>\n")?;
    }
    cursor.expect("</verified_context>")?;
    Ok(Frame {
        documents,
        omitted,
        rest: cursor.rest,
    })
}

fn document(cursor: &mut Cursor<'_>) -> Result<Read, String> {
    let id = cursor.value()?;
    let titled = cursor.accept(" title=");
    let title = if titled { Some(cursor.value()?) } else { None };
    cursor.expect(">")?;
    let text = cursor.text()?;
    cursor.expect("</document>\n")?;
    Ok(Read { id, title, text })
}

struct Cursor<'a> {
    rest: &'a str,
}

impl Cursor<'_> {
    fn accept(&mut self, literal: &str) -> bool {
        let found = self.rest.strip_prefix(literal);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn expect(&mut self, literal: &str) -> Result<(), String> {
        if self.accept(literal) {
            return Ok(());
        }
        let found: String = self.rest.chars().take(40).collect();
        Err(format!("expected {literal:?}, found {found:?}"))
    }

    fn value(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let value = self.text()?;
        self.expect("\"")?;
        Ok(value)
    }

    /// Text up to the next mark that cannot be part of one.
    fn text(&mut self) -> Result<String, String> {
        let mut text = String::new();
        while let Some(c) = self.rest.chars().next() {
            match c {
                '<' | '>' | '"' => break,
                '&' => text.push(self.reference()?),
                _ if is_unfit(c) => return Err(format!("{c:?} stands as it is")),
                _ => {
                    text.push(c);
                    self.rest = &self.rest[c.len_utf8()..];
                }
            }
        }
        Ok(text)
    }

    fn reference(&mut self) -> Result<char, String> {
        for (name, c) in [
            ("&amp;", '&'),
            ("&lt;", '<'),
            ("&gt;", '>'),
            ("&quot;", '"'),
        ] {
            if self.accept(name) {
                return Ok(c);
            }
        }
        self.expect("&#x")?;
        let (digits, rest) = self.rest.split_once(';').ok_or("a reference has no end")?;
        self.rest = rest;
        let number = u32::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
        let c = char::from_u32(number).filter(|c| is_character_of_xml(*c));
        c.ok_or(format!("&#x{digits}; is no character of XML"))
    }
}

fn is_unfit(c: char) -> bool {
    let looks = plain(c).is_some_and(|c| "<>".contains(c));
    looks || is_steering(c) || !is_character_of_xml(c) || (c.is_control() && !"\n\t".contains(c))
}

/// The production `Char` of XML 1.0.
pub(super) fn is_character_of_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn the_reader_takes_nothing_but_a_frame() {
    let framed = |inside: &str| format!("<verified_context>\n{inside}</verified_context>!");
    let good = framed("<document id=\"1\" title=\"a&quot;\">b&#x202E;\n</document>\n");
    let frame = read(&good).unwrap();
    let document = Read {
        id: "1".into(),
        title: Some("a\"".into()),
        text: "b\u{202e}\n".into(),
    };
    assert_eq!((frame.documents, frame.rest), (vec![document], "!"));
    for text in [
        "</document>",
        "<b/>",
        "&",
        "&nbsp;",
        "&#60;",
        "&#x0;",
        "]]>",
        "<!---->",
        "＜b",
        "⟨",
        "\u{202e}",
        "\0",
        "\r",
    ] {
        let bad = framed(&format!("<document id=\"1\">{text}</document>\n"));
        assert!(read(&bad).is_err(), "{text:?}");
    }
}
