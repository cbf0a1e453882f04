//! What every format is parsed into: a sequence of blocks.

use km_core::Timestamp;

use crate::front_matter::FrontMatter;
use crate::mapped::MappedText;

/// A parsed file, before it is cut into units.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) title: Option<String>,
    pub(crate) front_matter: FrontMatter,
    pub(crate) blocks: Vec<Block>,
    pub(crate) notes: Vec<String>,
}

/// A paragraph, a list, a table and the like, in reading order.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The places at which the block may be cut before any sentence is: items, rows, lines.
    pub(crate) parts: Vec<MappedText>,
    /// Per part the length of a term that the source emphasises at its start; may be shorter than
    /// the parts.
    pub(crate) strong_terms: Vec<usize>,
    /// Page number from 1.
    pub(crate) page: Option<u32>,
    /// Where links in the block lead: paths relative to the source, or `#anchors`.
    pub(crate) references: Vec<String>,
    /// A summary that the source itself states.
    pub(crate) summary: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum BlockKind {
    #[default]
    Paragraph,
    /// Text under no heading's care, to be cut into pieces of so many words.
    PlainText,
    Heading {
        /// 1 is the outermost; 0 is the title above them.
        level: u8,
    },
    /// What follows stands beside the section of the last heading, no longer in it.
    SectionEnd,
    List {
        ordered: bool,
    },
    /// A term and its meaning, marked as such by the format.
    Definition,
    /// The first part is the header.
    Table,
    Code {
        language: Option<String>,
    },
    Message {
        speaker: Option<String>,
        said_at: Option<Timestamp>,
    },
}

impl Block {
    pub(crate) fn new(kind: BlockKind, parts: Vec<MappedText>) -> Self {
        Self {
            kind,
            parts,
            ..Self::default()
        }
    }
}
