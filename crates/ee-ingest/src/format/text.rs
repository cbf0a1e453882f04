//! Plain text: paragraphs between blank lines, and numbered lists among them.

use super::TextFormat;
use super::listing::{Listing, marker};
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;
use crate::patterns::is_unspaced;

/// Lines at least this long are wrapped prose, shorter ones end where their author ended them.
const WRAPPED_LINE_CHARACTERS: usize = 50;
/// A single number in front of a line makes no list.
const FEWEST_ITEMS: usize = 2;

pub(super) struct PlainText;

impl TextFormat for PlainText {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let mut document = Document::default();
        for (start, paragraph) in paragraphs(text) {
            document.blocks.extend(blocks(paragraph, start));
        }
        Ok(document)
    }
}

/// A paragraph as a numbered list with what leads in to it, or as it is.
fn blocks(paragraph: &str, start: usize) -> Vec<Block> {
    let plain = |text: &str, start| {
        let text = unwrapped(text, start);
        Block::new(BlockKind::PlainText, vec![text])
    };
    match numbered(paragraph, start) {
        Some((0, list)) => vec![list],
        Some((lead_in, list)) => {
            let text = paragraph.get(..lead_in).unwrap_or_default().trim_end();
            let lead_in = MappedText::verbatim(text, start);
            vec![Block::new(BlockKind::Paragraph, vec![lead_in]), list]
        }
        None => vec![plain(paragraph, start)],
    }
}

/// The numbered list that a paragraph ends in, and the length of the text before it.
fn numbered(paragraph: &str, start: usize) -> Option<(usize, Block)> {
    let mut listing = Listing::default();
    let (mut at, mut lead_in) = (0, 0);
    for line in paragraph.split_inclusive('\n') {
        let from = at;
        at += line.len();
        let found = marker(line).filter(|marker| marker.number.is_some());
        if let Some(found) = found.filter(|found| listing.takes(*found)) {
            let text = line.get(found.length..)?.trim_end();
            listing.push(
                found,
                &MappedText::verbatim(text, start + from + found.length),
            );
        } else if listing.is_empty() {
            lead_in = at;
        } else {
            let indent = line.len() - line.trim_start().len();
            let text = MappedText::verbatim(line.trim(), start + from + indent);
            listing.extend("\n", &text);
        }
    }
    let enough = listing.len() >= FEWEST_ITEMS;
    Some((lead_in, listing.take().filter(|_| enough)?))
}

/// The paragraphs with their places, without the blank lines around them.
pub(super) fn paragraphs(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            if let Some(from) = start.take() {
                found.push((from, from..at));
            }
        } else if start.is_none() {
            start = Some(at);
        }
        at += line.len();
    }
    if let Some(from) = start {
        found.push((from, from..at));
    }
    let paragraph = |(from, range): (usize, std::ops::Range<usize>)| {
        (from, text.get(range).unwrap_or_default().trim_end())
    };
    found.into_iter().map(paragraph).collect()
}

/// The paragraph with wrapped lines joined.
fn unwrapped(paragraph: &str, start: usize) -> MappedText {
    let lines: Vec<&str> = paragraph.split_inclusive('\n').collect();
    let body = lines.split_last().map_or(&[][..], |(_, body)| body);
    let wrapped = body
        .iter()
        .all(|line| line.chars().count() >= WRAPPED_LINE_CHARACTERS);
    if !wrapped {
        return MappedText::verbatim(paragraph, start);
    }
    let mut joined = MappedText::default();
    let mut at = start;
    for line in lines {
        let words = line.trim_end_matches('\n');
        let unspaced = [joined.as_str().chars().next_back(), words.chars().next()]
            .iter()
            .all(|c| c.is_some_and(is_unspaced));
        if at > start && !unspaced {
            joined.push(" ", at - 1..at);
        }
        joined.push(words, at..at + words.len());
        at += line.len();
    }
    joined
}
