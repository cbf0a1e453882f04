//! Lists in text without mark-up: lines that begin with a number or a bullet.

use crate::document::{Block, BlockKind};
use crate::mapped::MappedText;

const BULLETS: [char; 14] = [
    '•', '◦', '▪', '▫', '‣', '●', '○', '■', '□', '–', '—', '-', '*', '·',
];
/// Numbers of more digits are years or amounts.
const MOST_DIGITS: usize = 3;

/// What a line of a list begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// The number of an ordered item.
    pub(super) number: Option<u64>,
    /// Bytes up to the text of the item.
    pub(super) length: usize,
}

/// The marker that a line begins with, indented or not.
pub(super) fn marker(line: &str) -> Option<Marker> {
    let indent = line.len() - line.trim_start().len();
    let text = line.get(indent..).unwrap_or_default();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, mark) = if (1..=MOST_DIGITS).contains(&digits) {
        let after = text.get(digits..)?.chars().next()?;
        let number = text.get(..digits)?.parse().ok()?;
        let closes = matches!(after, '.' | ')' | '、' | '．' | '）');
        (Some(number), closes.then_some(digits + after.len_utf8())?)
    } else {
        let bullet = text.chars().next()?;
        (
            None,
            BULLETS.contains(&bullet).then_some(bullet.len_utf8())?,
        )
    };
    let rest = text.get(mark..).unwrap_or_default();
    let gap = rest.len() - rest.trim_start().len();
    let unspaced = text
        .get(..mark)
        .is_some_and(|mark| !mark.is_ascii() && number.is_some());
    let stands = (gap > 0 || unspaced) && !rest.trim().is_empty();
    stands.then_some(Marker {
        number,
        length: indent + mark + gap,
    })
}

/// Items that are gathered line by line.
#[derive(Debug, Default)]
pub(super) struct Listing {
    ordered: bool,
    items: Vec<MappedText>,
    last: u64,
}

impl Listing {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether an item with this marker goes on with the list: of the same kind, and numbered
    /// onwards.
    pub(super) fn takes(&self, marker: Marker) -> bool {
        match marker.number {
            _ if self.items.is_empty() => true,
            Some(number) => self.ordered && number > self.last && number <= self.last + 2,
            None => !self.ordered,
        }
    }

    /// Begins an item with its text behind the marker.
    pub(super) fn push(&mut self, marker: Marker, text: &MappedText) {
        self.ordered = marker.number.is_some();
        self.last = marker.number.unwrap_or(0);
        let mut item = MappedText::default();
        match marker.number {
            Some(number) => item.push_glue(&format!("{number}. ")),
            None => item.push_glue("- "),
        }
        item.append("", text);
        self.items.push(item);
    }

    /// Text that goes on with the last item.
    pub(super) fn extend(&mut self, glue: &str, text: &MappedText) {
        if let Some(item) = self.items.last_mut() {
            item.append(glue, text);
        }
    }

    /// The list as a block, empty again after it.
    pub(super) fn take(&mut self) -> Option<Block> {
        let listing = std::mem::take(self);
        let ordered = listing.ordered;
        (!listing.items.is_empty()).then(|| Block::new(BlockKind::List { ordered }, listing.items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_numbers_and_bullets_before_text() {
        let found = |line| marker(line).map(|marker| (marker.number, marker.length));
        assert_eq!(found("1. Open"), Some((Some(1), 3)));
        assert_eq!(found("  12) Open"), Some((Some(12), 6)));
        assert_eq!(found("1、打开"), Some((Some(1), 4)));
        assert_eq!(found("• one"), Some((None, 4)));
        for line in ["2024. Year", "1.5 litres", "-5 degrees", "3.", "plain", ""] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
