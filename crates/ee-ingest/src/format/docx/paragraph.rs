//! Paragraphs: headings, items, code and running text.

use roxmltree::Node;

use super::body::Reader;
use super::numbering::Mark;
use super::styles::{ListPlace, Role};
use super::xml::{child, value};

/// The level of a document's own title, above all headings.
const TITLE_LEVEL: u8 = 0;
/// The outline level of running text.
const BODY_LEVEL: u8 = 9;

/// The lists that are open, outermost first.
#[derive(Debug, Default)]
pub(super) struct Lists {
    open: Vec<ListPlace>,
}

impl Reader {
    pub(super) fn paragraph(&mut self, paragraph: Node<'_, '_>) {
        let properties = child(paragraph, "pPr");
        let style = properties.and_then(|properties| value(properties, "pStyle"));
        let role = self.role(style, properties);
        self.end_run_of(role);
        match role {
            Role::Contents => {}
            Role::Heading(_) | Role::Title => self.heading(paragraph, role),
            Role::Code => self.code(paragraph),
            Role::Term => {
                self.end_lists();
                self.runs(paragraph, 0);
                self.builder.end_term();
            }
            Role::Definition => {
                self.builder.start_definition();
                self.runs(paragraph, 0);
                self.builder.end_definition();
            }
            Role::Body => match self.list_place(style, properties) {
                Some(place) => self.item(paragraph, place),
                None => self.text(paragraph),
            },
        }
    }

    /// What a paragraph is by its own outline level, else by its style.
    fn role(&self, style: Option<&str>, properties: Option<Node<'_, '_>>) -> Role {
        let level = properties.and_then(|properties| value(properties, "outlineLvl"));
        match level.and_then(|level| level.parse::<u8>().ok()) {
            Some(level) if level < BODY_LEVEL => Role::Heading(level + 1),
            _ => self.styles.role(style),
        }
    }

    /// Ends code and definitions where a paragraph of another role follows.
    pub(super) fn end_run_of(&mut self, next: Role) {
        if self.is_in_code && next != Role::Code {
            self.builder.end_code();
            self.is_in_code = false;
        }
        let defines = |role| matches!(role, Role::Term | Role::Definition);
        if defines(self.before) && !defines(next) {
            self.builder.end_terms();
        }
        self.before = next;
    }

    fn heading(&mut self, paragraph: Node<'_, '_>, role: Role) {
        self.end_lists();
        self.builder.close_paragraph();
        self.is_in_heading = true;
        self.runs(paragraph, 0);
        self.is_in_heading = false;
        let text = self.builder.current_text().to_owned();
        if text.trim().is_empty() {
            return;
        }
        self.anchors.heading(&text);
        if let Role::Heading(level) = role {
            self.builder.end_heading(level);
        } else {
            self.builder.end_heading(TITLE_LEVEL);
            self.title.get_or_insert(text);
        }
    }

    fn code(&mut self, paragraph: Node<'_, '_>) {
        if self.is_in_code {
            let place = self.place(paragraph);
            self.builder.text("\n", place.start..place.start);
        } else {
            self.end_lists();
            self.builder.start_code("");
        }
        self.code_runs(paragraph, 0);
        self.is_in_code = true;
    }

    fn text(&mut self, paragraph: Node<'_, '_>) {
        self.end_lists();
        self.builder.close_paragraph();
        self.runs(paragraph, 0);
        self.builder.close_paragraph();
    }

    /// Where a paragraph stands in a list, by its own properties, else by its style. The list 0
    /// takes a paragraph out of its style's list.
    fn list_place(
        &self,
        style: Option<&str>,
        properties: Option<Node<'_, '_>>,
    ) -> Option<ListPlace> {
        let own = properties.and_then(|properties| child(properties, "numPr"));
        let number = |name| value(own?, name)?.parse::<u32>().ok();
        let styled = self.styles.list(style);
        let list = number("numId").or(styled.map(|place| place.list))?;
        let level = number("ilvl").map(|level| level.min(u32::from(u8::MAX)) as u8);
        let level = level.or(styled.map(|place| place.level)).unwrap_or(0);
        (list > 0).then_some(ListPlace { list, level })
    }

    fn item(&mut self, paragraph: Node<'_, '_>, place: ListPlace) {
        let mark = self.numbering.mark(place);
        if mark == Mark::Nothing {
            if self.lists.open.is_empty() {
                return self.text(paragraph);
            }
            self.builder.start_paragraph();
            return self.runs(paragraph, 0);
        }
        self.builder.end_item();
        self.open_list(place, mark);
        self.builder.start_item();
        self.runs(paragraph, 0);
    }

    /// Makes the list at this place the innermost one that is open.
    fn open_list(&mut self, place: ListPlace, mark: Mark) {
        while let Some(last) = self.lists.open.last() {
            let deeper = last.level > place.level;
            let other = last.level == place.level && last.list != place.list;
            if !deeper && !other {
                break;
            }
            self.lists.open.pop();
            self.builder.end_list();
        }
        let next = self.next_number(place, mark);
        if self.lists.open.last() != Some(&place) {
            self.builder.start_list(next);
            self.lists.open.push(place);
        }
    }

    /// The number of the item at this place; lists below it begin anew.
    fn next_number(&mut self, place: ListPlace, mark: Mark) -> Option<u64> {
        self.numbers
            .retain(|(list, level), _| *list != place.list || *level <= place.level);
        let Mark::Number(first) = mark else {
            return None;
        };
        let number = self.numbers.entry((place.list, place.level));
        let number = number.or_insert(first);
        let this = *number;
        *number = number.saturating_add(1);
        Some(this)
    }

    pub(super) fn end_lists(&mut self) {
        if !self.lists.open.is_empty() {
            self.builder.end_item();
        }
        for _ in self.lists.open.drain(..) {
            self.builder.end_list();
        }
    }
}
