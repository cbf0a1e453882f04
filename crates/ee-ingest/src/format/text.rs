//! Plain text: paragraphs between blank lines.

use super::TextFormat;
use crate::SkipReason;
use crate::document::{Block, BlockKind, Document};
use crate::mapped::MappedText;
use crate::patterns::is_unspaced;

/// Lines at least this long are wrapped prose, shorter ones end where their author ended them.
const WRAPPED_LINE_CHARACTERS: usize = 50;

pub(super) struct PlainText;

impl TextFormat for PlainText {
    fn parse(&self, text: &str) -> Result<Document, SkipReason> {
        let paragraphs = paragraphs(text).into_iter();
        let blocks = paragraphs.map(|(start, paragraph)| {
            Block::new(BlockKind::PlainText, vec![unwrapped(paragraph, start)])
        });
        Ok(Document {
            blocks: blocks.collect(),
            ..Document::default()
        })
    }
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
