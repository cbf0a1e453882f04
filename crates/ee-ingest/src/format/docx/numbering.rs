//! Lists: which have numbers, and where those begin.

use std::collections::HashMap;

use roxmltree::Node;

use super::styles::ListPlace;
use super::xml::{attribute, child, name, parse, value};
use crate::SkipReason;

/// How the items of a level are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// By numbers or letters, from this one on.
    Number(u64),
    Bullet,
    /// By nothing: the paragraph goes on with the item before.
    Nothing,
}

#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// Marks by list and level.
    marks: HashMap<(u32, u8), Mark>,
}

impl Numbering {
    pub(super) fn read(text: Option<&str>) -> Result<Self, SkipReason> {
        let mut numbering = Self::default();
        let Some(text) = text else {
            return Ok(numbering);
        };
        let document = parse(text)?;
        let elements = || document.root_element().children();
        let mut shared: HashMap<&str, Vec<(u8, Mark)>> = HashMap::new();
        for list in elements().filter(|node| name(*node) == "abstractNum") {
            if let Some(id) = attribute(list, "abstractNumId") {
                shared.insert(id, levels(list));
            }
        }
        for list in elements().filter(|node| name(*node) == "num") {
            let id = attribute(list, "numId").and_then(|id| id.parse().ok());
            let marks = value(list, "abstractNumId").and_then(|id| shared.get(id));
            if let (Some(id), Some(marks)) = (id, marks) {
                let marks = marks.iter().map(|(level, mark)| ((id, *level), *mark));
                numbering.marks.extend(marks);
                numbering.overrides(list, id);
            }
        }
        Ok(numbering)
    }

    /// How an item at this place is marked; a list that is not described has bullets.
    pub(super) fn mark(&self, place: ListPlace) -> Mark {
        let mark = self.marks.get(&(place.list, place.level));
        mark.copied().unwrap_or(Mark::Bullet)
    }

    /// Levels that one list counts otherwise than those it shares them with.
    fn overrides(&mut self, list: Node<'_, '_>, id: u32) {
        let levels = list.children().filter(|node| name(*node) == "lvlOverride");
        for over in levels {
            let Some(level) = attribute(over, "ilvl").and_then(|level| level.parse().ok()) else {
                continue;
            };
            if let Some(own) = child(over, "lvl") {
                self.marks.insert((id, level), mark(own));
            }
            let start = value(over, "startOverride").and_then(|start| start.parse().ok());
            if let (Some(start), Some(Mark::Number(first))) =
                (start, self.marks.get_mut(&(id, level)))
            {
                *first = start;
            }
        }
    }
}

fn levels(list: Node<'_, '_>) -> Vec<(u8, Mark)> {
    let levels = list.children().filter(|node| name(*node) == "lvl");
    let level = |node| Some((attribute(node, "ilvl")?.parse().ok()?, mark(node)));
    levels.filter_map(level).collect()
}

fn mark(level: Node<'_, '_>) -> Mark {
    let start = value(level, "start").and_then(|start| start.parse().ok());
    let text = value(level, "lvlText").unwrap_or("•");
    match value(level, "numFmt") {
        Some("none") => Mark::Nothing,
        Some("bullet") if text.trim().is_empty() => Mark::Nothing,
        Some("bullet") => Mark::Bullet,
        _ => Mark::Number(start.unwrap_or(1)),
    }
}
