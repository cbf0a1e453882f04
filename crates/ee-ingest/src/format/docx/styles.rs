//! What the styles of paragraphs and letters say about a text.

use std::collections::HashMap;

use roxmltree::Node;

use super::xml::{attribute, child, is_on, name, parse, value};
use crate::SkipReason;

/// Styles that are based on each other.
const LONGEST_CHAIN: usize = 16;
/// The outline level of running text.
const BODY_LEVEL: u8 = 9;

/// What a paragraph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Body,
    Title,
    Heading(u8),
    /// An entry of a table of contents.
    Contents,
    Code,
    Term,
    Definition,
}

/// Where a paragraph stands in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListPlace {
    pub(super) list: u32,
    pub(super) level: u8,
}

#[derive(Debug, Default)]
struct Style {
    /// In lower case and without spaces.
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<u32>,
    list_level: Option<u8>,
    is_bold: Option<bool>,
}

#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Style>,
}

impl Styles {
    pub(super) fn read(text: Option<&str>) -> Result<Self, SkipReason> {
        let mut styles = Self::default();
        let Some(text) = text else {
            return Ok(styles);
        };
        let document = parse(text)?;
        let elements = document.root_element().children();
        for style in elements.filter(|node| name(*node) == "style") {
            if let Some(id) = attribute(style, "styleId") {
                styles.by_id.insert(id.to_owned(), Style::read(style));
            }
        }
        Ok(styles)
    }

    /// What a paragraph of this style is.
    pub(super) fn role(&self, id: Option<&str>) -> Role {
        let Some(id) = id else { return Role::Body };
        let own = plain(id);
        let names = self.chain(id).map(|style| style.name.as_str());
        let role = names.chain([own.as_str()]).find_map(named_role);
        let outline = self.chain(id).find_map(|style| style.outline);
        match (role, outline) {
            (Some(role), _) => role,
            (None, Some(level)) if level < BODY_LEVEL => Role::Heading(level + 1),
            (None, _) => Role::Body,
        }
    }

    /// The list that paragraphs of this style stand in.
    pub(super) fn list(&self, id: Option<&str>) -> Option<ListPlace> {
        let list = self.chain(id?).find_map(|style| style.list)?;
        let level = self.chain(id?).find_map(|style| style.list_level);
        let level = level.unwrap_or(0);
        Some(ListPlace { list, level })
    }

    /// Whether letters of this style are bold.
    pub(super) fn is_bold(&self, id: &str) -> bool {
        let stated = self.chain(id).find_map(|style| style.is_bold);
        stated.unwrap_or_else(|| plain(id) == "strong")
    }

    /// The style and those it is based on.
    fn chain<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Style> {
        let mut next = Some(id);
        let chain = std::iter::from_fn(move || {
            let style = self.by_id.get(next?)?;
            next = style.based_on.as_deref();
            Some(style)
        });
        chain.take(LONGEST_CHAIN)
    }
}

impl Style {
    fn read(style: Node<'_, '_>) -> Self {
        let paragraph = child(style, "pPr");
        let letters = child(style, "rPr");
        let list = paragraph.and_then(|properties| child(properties, "numPr"));
        let number = |node: Option<Node<'_, '_>>, name| value(node?, name)?.parse().ok();
        Self {
            name: plain(value(style, "name").unwrap_or_default()),
            based_on: value(style, "basedOn").map(str::to_owned),
            outline: number(paragraph, "outlineLvl"),
            list: list.and_then(|list| value(list, "numId")?.parse().ok()),
            list_level: number(list, "ilvl"),
            is_bold: letters.and_then(|properties| is_on(properties, "b")),
        }
    }
}

/// A name in lower case and without spaces; programs differ in both.
fn plain(name: &str) -> String {
    name.to_lowercase().replace([' ', '-', '_'], "")
}

/// What a built-in style is, by the name it has in files of every language.
fn named_role(name: &str) -> Option<Role> {
    if let Some(level) = name.strip_prefix("heading") {
        let level: u8 = level.parse().ok()?;
        return (1..=9).contains(&level).then_some(Role::Heading(level));
    }
    let is_contents = name.strip_prefix("toc").is_some_and(|level| {
        level == "heading" || (!level.is_empty() && level.bytes().all(|b| b.is_ascii_digit()))
    });
    match name {
        _ if is_contents => Some(Role::Contents),
        "title" => Some(Role::Title),
        "contentsheading" | "tableoffigures" => Some(Role::Contents),
        "sourcecode" | "htmlpreformatted" | "preformattedtext" | "macrotext" | "code"
        | "codeblock" => Some(Role::Code),
        "definitionterm" => Some(Role::Term),
        "definition" => Some(Role::Definition),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLES: &str = r#"<w:styles xmlns:w="w">
        <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
        <w:style w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
        <w:style w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>
        <w:style w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>
        <w:style w:styleId="Level"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
        <w:style w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
    </w:styles>"#;

    #[test]
    fn roles_come_from_names_outlines_and_what_styles_are_based_on() {
        let styles = Styles::read(Some(STYLES)).unwrap();
        assert_eq!(styles.role(Some("Kapitel")), Role::Heading(1));
        assert_eq!(styles.role(Some("A")), Role::Body);
        assert_eq!(styles.role(Some("Level")), Role::Heading(3));
        assert_eq!(styles.role(Some("Verzeichnis1")), Role::Contents);
        assert_eq!(styles.role(Some("Heading2")), Role::Heading(2));
        assert_eq!(styles.role(None), Role::Body);
    }
}
