//! Where links inside a page lead: from the ids of its elements to its headings.

use std::collections::HashMap;

use crate::document::Block;
use crate::reference::heading_anchor;

/// Ids that were met, each with the anchor of the heading it stands at or under.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// Ids after which no text came yet.
    pending: Vec<String>,
    heading: Option<String>,
    known: HashMap<String, Option<String>>,
}

impl Anchors {
    pub(super) fn meet(&mut self, id: String) {
        self.pending.push(id);
    }

    /// A heading ends; the ids before and inside it are its own.
    pub(super) fn heading(&mut self, text: &str) {
        self.heading = Some(heading_anchor(text));
        self.text();
    }

    /// Text comes; the ids before it belong to the heading above.
    pub(super) fn text(&mut self) {
        for id in self.pending.drain(..) {
            let heading = self.heading.clone();
            self.known.entry(id.to_lowercase()).or_insert(heading);
        }
    }

    /// Turns links to ids into links to headings. Those to the top of the page lead nowhere else
    /// and are dropped.
    pub(super) fn resolve(&mut self, blocks: &mut [Block]) {
        self.text();
        for block in blocks {
            let targets = std::mem::take(&mut block.references).into_iter();
            block.references = targets.filter_map(|target| self.resolved(target)).collect();
        }
    }

    fn resolved(&self, target: String) -> Option<String> {
        let Some(id) = target.strip_prefix('#') else {
            return Some(target);
        };
        match self.known.get(&id.to_lowercase()) {
            Some(heading) => heading.as_ref().map(|anchor| format!("#{anchor}")),
            None => (!id.is_empty()).then_some(target),
        }
    }
}
