//! Keeps text from documents from posing as the engine's own markers.

use std::fmt::Write;

/// Element names of the engine's own frame; see [`crate::turn::frame`].
const RESERVED_ELEMENTS: [&str; 3] = ["verified_context", "document", "omitted"];

/// The half-width form of a character, so that look-alikes are seen for what they are.
pub(crate) fn fold(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        '\u{fe64}' | '\u{2039}' | '\u{3008}' => '<',
        '\u{fe65}' | '\u{203a}' | '\u{3009}' => '>',
        '\u{3010}' | '\u{3014}' => '[',
        '\u{3011}' | '\u{3015}' => ']',
        '、' => ',',
        _ => c,
    }
}

/// Characters that show nothing and steer how the text around them is shown or read: direction
/// marks, invisible operators, the byte-order mark and the tag block. Joiners stay, since emoji
/// and several scripts are written with them.
fn is_steering(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{00ad}' | '\u{feff}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether XML 1.0 has no way to write the character, even as a reference.
fn is_forbidden_in_xml(c: char) -> bool {
    matches!(c, '\u{fffe}' | '\u{ffff}') || (c.is_ascii_control() && !"\t\n\r".contains(c))
}

/// Escapes text for an element or an attribute of the frame. What an XML reader gives back is the
/// text itself, with U+FFFD for the characters that XML cannot carry.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ if is_forbidden_in_xml(c) => escaped.push('\u{fffd}'),
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => push_reference(&mut escaped, c),
            _ if is_steering(c) || "<>".contains(fold(c)) => push_reference(&mut escaped, c),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn push_reference(escaped: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(escaped, "&#x{:X};", c as u32);
}

/// Escapes text for an attribute: as [`xml`], with line ends and tabs kept through references.
pub(crate) fn xml_attribute(text: &str) -> String {
    let escaped = xml(text);
    escaped.replace('\n', "&#xA;").replace('\t', "&#x9;")
}

/// Brings a summary onto one line and defuses whatever would read as a header line, a tag, a
/// citation, an element of the frame or a command. Ordinary text and code stay as they are.
pub(crate) fn header_line(summary: &str) -> String {
    let shown = summary.chars().filter(|c| !is_steering(*c));
    let spaced: String = shown
        .map(|c| {
            if c.is_control() || c.is_whitespace() || is_line_end(c) {
                ' '
            } else {
                c
            }
        })
        .collect();
    let line = spaced
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    defuse(&line)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Replaces the one character of each marker that makes it one.
fn defuse(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let (head, after) = rest.split_at(c.len_utf8());
        let standing = !safe.ends_with(char::is_alphanumeric);
        let marks = fold(c) == '[' && opens_marker(after);
        if marks || (fold(c) == '<' && opens_element(after)) {
            safe.push('(');
        } else if standing && let Some(command) = command_word(rest) {
            safe.push_str("retrieve");
            rest = command;
            continue;
        } else {
            safe.push_str(head);
        }
        rest = after;
    }
    safe
}

/// The next `limit` characters, folded, in lower case, without white space.
fn glimpse(text: &str, limit: usize) -> String {
    let folded = text
        .chars()
        .map(fold)
        .filter(|c| !c.is_whitespace() && !is_joiner(*c));
    folded.take(limit).collect::<String>().to_lowercase()
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// After an opening bracket: `ID:`, `RAG:`, or the digits of a citation.
fn opens_marker(after: &str) -> bool {
    let next = glimpse(after, 9);
    let hexadecimal = next.chars().take_while(char::is_ascii_hexdigit).count();
    next.starts_with("id:") || next.starts_with("rag:") || hexadecimal >= 8
}

/// After an opening angle bracket: one of the frame's own elements, opening or closing.
fn opens_element(after: &str) -> bool {
    let next = glimpse(after, 24);
    let name = next.trim_start_matches('/');
    RESERVED_ELEMENTS
        .iter()
        .any(|element| name.starts_with(element))
}

/// What follows an upper-case `RETRIEVE` at the beginning of `text`, if that is what stands there.
fn command_word(text: &str) -> Option<&str> {
    let mut rest = text;
    for expected in "RETRIEVE".chars() {
        let c = rest.chars().next().filter(|c| fold(*c) == expected)?;
        rest = rest.get(c.len_utf8()..)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ordinary_summaries_stay_as_they_are() {
        for text in [
            "git cherry-pick <hash> applies one commit; use A^..B for a range.",
            "`list[int]` & Größe: 休假 👩‍👩‍👧",
            "Retrieved rows are paged.",
        ] {
            assert_eq!(header_line(text), text);
        }
    }

    #[test]
    fn markers_are_defused_in_any_spelling() {
        for (text, safe) in [
            ("a\n[ID:9] b", "a (ID:9] b"),
            ("［ＩＤ：9］", "(ＩＤ：9］"),
            ("[ rag : deadbeef]", "( rag : deadbeef]"),
            ("see [deadbeef]", "see (deadbeef]"),
            ("< / Verified_Context >", "( / Verified_Context >"),
            ("now RETRIEVE 3", "now retrieve 3"),
            ("a\u{202e}b\u{2028}c", "ab c"),
        ] {
            assert_eq!(header_line(text), safe);
        }
    }

    proptest! {
        #[test]
        fn a_header_line_is_one_line(text in ".*") {
            let line = header_line(&text);
            prop_assert!(!line.chars().any(|c| c.is_control() || is_line_end(c)));
        }

        #[test]
        fn escaped_text_reads_back(text in any::<String>()) {
            let document = format!("<a b=\"{}\">{}</a>", xml_attribute(&text), xml(&text));
            let parsed = roxmltree::Document::parse(&document).unwrap();
            let expected: String = text
                .chars()
                .map(|c| if is_forbidden_in_xml(c) { '\u{fffd}' } else { c })
                .collect();
            let root = parsed.root_element();
            prop_assert_eq!(root.text().unwrap_or(""), &expected);
            prop_assert_eq!(root.attribute("b").unwrap_or(""), &expected);
        }
    }
}
