//! From blocks to groups: sections, kinds, and what belongs together.

use km_core::{Timestamp, UnitKind};

use crate::document::{Block, BlockKind};
use crate::mapped::MappedText;
use crate::patterns::{has_obligation, is_definition, is_instruction};

/// A heading with what stands under it. The first section of a source has no heading.
#[derive(Debug, Default)]
pub(crate) struct Section {
    /// The headings down to this one, outermost first.
    pub(crate) path: Vec<String>,
    /// Position of the section around it.
    pub(crate) parent: Option<usize>,
    level: u8,
    heading: Option<MappedText>,
    /// The page of the heading.
    page: Option<u32>,
    /// Whether it, or a section inside it, holds anything.
    filled: bool,
}

/// Blocks of one section that make up one or more units of one kind.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) kind: UnitKind,
    pub(crate) flow: Flow,
    /// Position of its section.
    pub(crate) section: usize,
    pub(crate) parts: Vec<Part>,
    pub(crate) page: Option<u32>,
    pub(crate) language: Option<String>,
    pub(crate) speaker: Option<String>,
    pub(crate) said_at: Option<Timestamp>,
    pub(crate) references: Vec<String>,
    pub(crate) summary: Option<String>,
}

/// A paragraph, item, row or line, with what separates it from the part before.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) text: MappedText,
    pub(crate) glue: &'static str,
}

/// How a group may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Between parts, then between sentences.
    Prose,
    /// As prose, in pieces of so many words.
    PlainText,
    /// Between rows; the first part is repeated in every piece.
    Rows,
    /// Between items, then between lines.
    Code,
}

/// Sections and groups of a source, in reading order.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(crate) sections: Vec<Section>,
    pub(crate) groups: Vec<Group>,
    /// Position of the section that is being filled.
    current: usize,
}

/// Arranges the blocks of a source.
pub(crate) fn outline(blocks: Vec<Block>) -> Outline {
    let mut outline = Outline {
        sections: vec![Section::default()],
        groups: Vec::new(),
        current: 0,
    };
    for block in blocks {
        match block.kind {
            BlockKind::Heading { level } => outline.open_section(level, block),
            BlockKind::SectionEnd => outline.leave_section(),
            _ => outline.add(block),
        }
    }
    outline.close_empty(0);
    outline
}

impl Outline {
    fn section(&self) -> Option<&Section> {
        self.sections.get(self.current)
    }

    fn leave_section(&mut self) {
        self.close_empty(0);
        self.current = self.section().and_then(|left| left.parent).unwrap_or(0);
    }

    fn open_section(&mut self, level: u8, block: Block) {
        self.close_empty(level);
        let parent = self.enclosing(level);
        let mut path = parent
            .and_then(|parent| self.sections.get(parent))
            .map_or_else(Vec::new, |parent| parent.path.clone());
        let heading = block.parts.into_iter().next();
        let text = heading
            .as_ref()
            .map(|heading| heading.as_str().trim().replace('\n', " "));
        path.extend(text);
        self.current = self.sections.len();
        self.sections.push(Section {
            path,
            parent,
            level,
            heading,
            page: block.page,
            filled: false,
        });
    }

    /// The innermost open section above `level`.
    fn enclosing(&self, level: u8) -> Option<usize> {
        let mut at = Some(self.current);
        while let Some(section) = at.and_then(|at| self.sections.get(at)) {
            if section.level < level {
                return at.filter(|at| *at > 0);
            }
            at = section.parent;
        }
        None
    }

    /// A section that ends without text keeps its heading as its text.
    fn close_empty(&mut self, next_level: u8) {
        let current = self.current;
        let Some(section) = self.sections.get_mut(current) else {
            return;
        };
        if section.filled || (next_level > section.level) {
            return;
        }
        if let Some(heading) = section.heading.take() {
            let mut block = Block::new(BlockKind::Paragraph, vec![heading]);
            block.page = section.page;
            self.push(Group::new(
                UnitKind::Section,
                Flow::Prose,
                current,
                block,
                "\n",
            ));
        }
    }

    fn add(&mut self, mut block: Block) {
        let section = self.current;
        let announced_by = self.announcement(&block);
        let path = self.section().map_or(&[][..], |section| &section.path);
        let heading = path.last().map_or("", String::as_str);
        let (kind, flow) = classify(&block, heading, &announced_by);
        if kind == UnitKind::Definition && block.parts.len() > 1 {
            for part in std::mem::take(&mut block.parts) {
                let marker =
                    part.as_str().len() - part.as_str().trim_start_matches(['-', ' ']).len();
                let item = part.slice(marker..part.as_str().len());
                let mut item = Block::new(BlockKind::Definition, vec![item]);
                item.references = std::mem::take(&mut block.references);
                self.push(Group::new(kind, flow, section, item, "\n"));
            }
            return;
        }
        let glue = if flow == Flow::Code { "" } else { "\n" };
        let mut group = Group::new(kind, flow, section, block, glue);
        if matches!(kind, UnitKind::Step | UnitKind::Code) {
            self.move_lead_in(&mut group);
        }
        self.push(group);
    }

    /// The heading above and the words that lead in to a list.
    fn announcement(&self, block: &Block) -> String {
        if block.kind != (BlockKind::List { ordered: true }) {
            return String::new();
        }
        let heading = self
            .section()
            .and_then(|section| section.path.last())
            .cloned();
        let mut announcement = heading.unwrap_or_default();
        if let Some(lead_in) = self.lead_in() {
            announcement.push('\n');
            announcement.push_str(lead_in.text.as_str());
        }
        announcement
    }

    /// The paragraph before, when it ends in a colon.
    fn lead_in(&self) -> Option<&Part> {
        let last = self.groups.last()?;
        let open = last.section == self.current && last.flow == Flow::Prose;
        let part = last.parts.last().filter(|_| open)?;
        part.text
            .as_str()
            .trim_end()
            .ends_with([':', '：'])
            .then_some(part)
    }

    fn move_lead_in(&mut self, group: &mut Group) {
        if self.lead_in().is_none() {
            return;
        }
        let Some(last) = self.groups.last_mut() else {
            return;
        };
        if let Some(lead_in) = last.parts.pop() {
            if let Some(first) = group.parts.first_mut() {
                first.glue = "\n";
            }
            group.parts.insert(0, lead_in);
        }
        if last.parts.is_empty() {
            self.groups.pop();
        }
    }

    /// Appends a group, to the one before where both are running text of one kind.
    fn push(&mut self, group: Group) {
        let mut at = Some(group.section);
        while let Some(section) = at.and_then(|at| self.sections.get_mut(at)) {
            section.filled = true;
            at = section.parent;
        }
        match self.groups.last_mut() {
            Some(last) if last.takes(&group) => last.merge(group),
            _ => self.groups.push(group),
        }
    }
}

impl Group {
    fn new(kind: UnitKind, flow: Flow, section: usize, block: Block, glue: &'static str) -> Self {
        let parts = block.parts.into_iter().map(|text| Part { text, glue });
        let mut group = Self {
            kind,
            flow,
            section,
            parts: parts.collect(),
            page: block.page,
            language: None,
            speaker: None,
            said_at: None,
            references: block.references,
            summary: block.summary,
        };
        match block.kind {
            BlockKind::Code { language } => group.language = language,
            BlockKind::Message { speaker, said_at } => {
                group.speaker = speaker;
                group.said_at = said_at;
            }
            _ => {}
        }
        group
    }

    fn takes(&self, next: &Self) -> bool {
        matches!(self.kind, UnitKind::Section | UnitKind::Rule)
            && self.kind == next.kind
            && self.flow == next.flow
            && self.section == next.section
            && self.page == next.page
            && self.summary.is_none()
            && next.summary.is_none()
    }

    fn merge(&mut self, mut next: Self) {
        if let Some(first) = next.parts.first_mut() {
            first.glue = "\n\n";
        }
        self.parts.append(&mut next.parts);
        self.references.append(&mut next.references);
    }
}

fn classify(block: &Block, heading: &str, announced_by: &str) -> (UnitKind, Flow) {
    let texts = || block.parts.iter().map(MappedText::as_str);
    let most = |holds: &dyn Fn(&str) -> bool| {
        texts().filter(|text| holds(text)).count() * 2 > block.parts.len()
    };
    let strong = block.strong_terms.as_slice();
    let defined = block
        .parts
        .iter()
        .enumerate()
        .filter(|(at, part)| {
            is_definition(
                part.as_str(),
                strong.get(*at).copied().unwrap_or(0),
                heading,
            )
        })
        .count();
    let defines = defined * 2 > block.parts.len();
    match block.kind {
        BlockKind::Definition => (UnitKind::Definition, Flow::Prose),
        BlockKind::Table => (UnitKind::Table, Flow::Rows),
        BlockKind::Code { .. } => (UnitKind::Code, Flow::Code),
        BlockKind::Message { .. } => (UnitKind::Message, Flow::Prose),
        BlockKind::List { ordered: true } if is_instruction(texts(), announced_by) => {
            (UnitKind::Step, Flow::Prose)
        }
        BlockKind::PlainText => (running(most(&has_obligation), defines), Flow::PlainText),
        _ => (running(most(&has_obligation), defines), Flow::Prose),
    }
}

fn running(obliges: bool, defines: bool) -> UnitKind {
    match (defines, obliges) {
        (true, _) => UnitKind::Definition,
        (false, true) => UnitKind::Rule,
        (false, false) => UnitKind::Section,
    }
}
