//! XML parts. Names are compared without their namespaces, since those of the transitional and the
//! strict standard differ.

use std::collections::HashMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::package::malformed;
use crate::SkipReason;

/// Elements and texts that a part may have.
const MOST_NODES: u32 = 4_000_000;

/// Parses a part. Document types, which could define entities without end, are refused.
pub(super) fn parse(text: &str) -> Result<Document<'_>, SkipReason> {
    let options = ParsingOptions {
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).map_err(|error| malformed(error.to_string()))
}

/// The name of an element, empty for a text.
pub(super) fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// The first child of this name.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, wanted: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| name(*child) == wanted)
}

/// The value of an attribute.
pub(super) fn attribute<'a>(node: Node<'a, '_>, wanted: &str) -> Option<&'a str> {
    let mut attributes = node.attributes();
    let found = attributes.find(|attribute| attribute.name() == wanted);
    found.map(|attribute| attribute.value())
}

/// The `val` of the child of this name.
pub(super) fn value<'a>(node: Node<'a, '_>, wanted: &str) -> Option<&'a str> {
    attribute(child(node, wanted)?, "val")
}

/// A property that is on where its element stands, unless that says otherwise.
pub(super) fn is_on(properties: Node<'_, '_>, wanted: &str) -> Option<bool> {
    let property = child(properties, wanted)?;
    let value = attribute(property, "val");
    Some(!matches!(value, Some("0" | "false" | "off")))
}

/// Where the parts and links lead that a part names.
#[derive(Debug, Default)]
pub(super) struct Relations {
    targets: HashMap<String, String>,
    kinds: HashMap<String, String>,
}

impl Relations {
    pub(super) fn read(text: Option<&str>) -> Result<Self, SkipReason> {
        let mut relations = Self::default();
        let Some(text) = text else {
            return Ok(relations);
        };
        for relation in parse(text)?.root_element().children() {
            let target = attribute(relation, "Target").unwrap_or_default();
            if let Some(id) = attribute(relation, "Id") {
                relations.targets.insert(id.to_owned(), target.to_owned());
            }
            let kind = attribute(relation, "Type").and_then(|kind| kind.rsplit('/').next());
            if let Some(kind) = kind {
                relations.kinds.insert(kind.to_owned(), target.to_owned());
            }
        }
        Ok(relations)
    }

    pub(super) fn target(&self, id: &str) -> Option<&str> {
        self.targets.get(id).map(String::as_str)
    }

    pub(super) fn of_kind(&self, kind: &str) -> Option<&str> {
        self.kinds.get(kind).map(String::as_str)
    }
}
