//! What the elements of HTML are to a reader of its text.

use html5gum::StartTag;

/// Elements whose content is nothing to read, or leads elsewhere.
const SILENT: [&str; 16] = [
    "audio", "button", "canvas", "datalist", "frameset", "iframe", "map", "nav", "noscript",
    "object", "script", "select", "style", "svg", "template", "video",
];
/// Elements without content or end.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements that run inside a line of text.
const INLINE: [&str; 31] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "u", "var",
];

pub(super) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

pub(super) fn is_inline(name: &str) -> bool {
    INLINE.contains(&name) || name == "tt" || name == "wbr" || name == "math"
}

/// The level of a heading.
pub(super) fn heading(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Whether nothing inside the element is to be read: by its name, or because it is hidden from
/// the people who see the page.
pub(super) fn is_silent(name: &str, tag: &StartTag<usize>) -> bool {
    let has = |name: &str| attribute(tag, name).is_some();
    let is = |name: &str, value: &str| {
        attribute(tag, name).is_some_and(|found| found.eq_ignore_ascii_case(value))
    };
    let style = attribute(tag, "style").unwrap_or_default();
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    let unseen = style.contains("display:none") || style.contains("visibility:hidden");
    let navigates = is("role", "navigation");
    SILENT.contains(&name) || has("hidden") || is("aria-hidden", "true") || unseen || navigates
}

/// The value of an attribute, empty where it has none.
pub(super) fn attribute(tag: &StartTag<usize>, name: &str) -> Option<String> {
    let value = tag.attributes.get(name.as_bytes())?;
    Some(String::from_utf8_lossy(&value.value.0).into_owned())
}

/// The name of a tag, which the tokenizer gives in lower case.
pub(super) fn name_of(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
