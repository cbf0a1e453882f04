//! A first look at a page: which elements are silent, and which tables only arrange it.

use std::collections::{HashMap, HashSet};

use html5gum::{StartTag, Token};

use super::elements::{attribute, heading, is_silent, is_void, name_of};
use super::tokens;

/// Elements are told by the place of their start tag.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Where the content of each silent element ends. One without an end tag is not here, so that
    /// a forgotten tag does not swallow the page.
    silent: HashMap<usize, usize>,
    layout: HashSet<usize>,
}

/// What is open while the page is looked at.
#[derive(Default)]
struct Open {
    /// Per name of a silent element that is open: where it starts, and how many elements of its
    /// name are open inside it.
    silent: HashMap<String, (usize, usize)>,
    tables: Vec<usize>,
}

impl Survey {
    pub(super) fn of(text: &str) -> Self {
        let mut survey = Self::default();
        let mut open = Open::default();
        for token in tokens(text) {
            match token {
                Token::StartTag(tag) => survey.start(&tag, &mut open),
                Token::EndTag(tag) => survey.end(&name_of(&tag.name), tag.span.end, &mut open),
                _ => {}
            }
        }
        survey
    }

    /// Where the silent element ends that starts at `start`.
    pub(super) fn silent_until(&self, start: usize) -> Option<usize> {
        self.silent.get(&start).copied()
    }

    /// Whether the table that starts at `start` holds tables or headings, or says that it is none.
    pub(super) fn is_layout(&self, start: usize) -> bool {
        self.layout.contains(&start)
    }

    fn start(&mut self, tag: &StartTag<usize>, open: &mut Open) {
        let name = name_of(&tag.name);
        if is_void(&name) {
            return;
        }
        if let Some((_, depth)) = open.silent.get_mut(&name) {
            *depth += 1;
        } else if is_silent(&name, tag) {
            open.silent.insert(name.clone(), (tag.span.start, 0));
        }
        if name == "table" || heading(&name).is_some() {
            self.layout.extend(open.tables.last().copied());
        }
        if name == "table" {
            let role = attribute(tag, "role").unwrap_or_default();
            if role == "presentation" || role == "none" {
                self.layout.insert(tag.span.start);
            }
            open.tables.push(tag.span.start);
        }
    }

    fn end(&mut self, name: &str, end: usize, open: &mut Open) {
        match open.silent.get_mut(name) {
            Some((_, depth)) if *depth > 0 => *depth -= 1,
            Some((start, _)) => {
                self.silent.insert(*start, end);
                open.silent.remove(name);
            }
            None => {}
        }
        if name == "table" {
            open.tables.pop();
        }
    }
}
