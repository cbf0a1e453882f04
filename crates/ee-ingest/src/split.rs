//! Cutting groups to the embedder's window.

use std::ops::Range;

use crate::mapped::MappedText;
use crate::outline::{Flow, Group, Part};
use crate::sentence::{count_words, sentences, words};
use crate::{IngestConfig, TokenCounter};

/// Characters that count as one token at least, so that a tokenizer which takes any long word for
/// one unknown token does not let it pass whole.
const MOST_CHARACTERS_PER_TOKEN: usize = 16;

/// What one piece may hold at most.
#[derive(Debug, Clone, Copy)]
struct Limit {
    tokens: usize,
    words: usize,
    flow: Flow,
}

/// Cuts groups into pieces that fit.
pub(crate) struct Splitter<'a> {
    counter: &'a dyn TokenCounter,
    /// Tokens that every text has beside its own.
    special_tokens: usize,
    words_per_piece: usize,
    overlap_percent: usize,
}

/// A stretch of text that is not cut further.
struct Fragment {
    text: MappedText,
    glue: &'static str,
    /// The part it was cut from.
    part: usize,
    tokens: usize,
    words: usize,
}

impl<'a> Splitter<'a> {
    pub(crate) fn new(config: &IngestConfig, counter: &'a dyn TokenCounter) -> Self {
        Self {
            counter,
            special_tokens: counter.count(""),
            words_per_piece: config.words_per_piece,
            overlap_percent: usize::from(config.overlap_percent),
        }
    }

    /// Tokens of a text without the special ones.
    pub(crate) fn tokens(&self, text: &str) -> usize {
        let counted = self.counter.count(text).saturating_sub(self.special_tokens);
        counted.max(text.chars().count() / MOST_CHARACTERS_PER_TOKEN)
    }

    /// The tokens a unit may have beside the special ones.
    pub(crate) fn window(&self) -> usize {
        self.counter
            .max_tokens()
            .saturating_sub(self.special_tokens)
    }

    /// The pieces of a group, each of at most `tokens` tokens.
    pub(crate) fn pieces(&self, group: &Group, tokens: usize) -> Vec<MappedText> {
        let limit = Limit {
            tokens: tokens.max(1),
            words: match group.flow {
                Flow::PlainText => self.words_per_piece,
                _ => usize::MAX,
            },
            flow: group.flow,
        };
        match (group.flow, group.parts.split_first()) {
            (Flow::Rows, Some((header, rows))) if !rows.is_empty() => {
                self.table_pieces(header, rows, group, limit)
            }
            _ => self.pack(&self.fragments(&group.parts, limit), limit),
        }
    }

    /// Rows under a repeated header; a header that takes more than half the window is just a row.
    fn table_pieces(
        &self,
        header: &Part,
        rows: &[Part],
        group: &Group,
        limit: Limit,
    ) -> Vec<MappedText> {
        let header_tokens = self.tokens(header.text.as_str()) + 1;
        if header_tokens * 2 > limit.tokens {
            return self.pack(&self.fragments(&group.parts, limit), limit);
        }
        let under = Limit {
            tokens: limit.tokens - header_tokens,
            ..limit
        };
        let pieces = self.pack(&self.fragments(rows, under), under);
        let with_header = |(at, piece): (usize, MappedText)| {
            let mut table = match at {
                0 => header.text.clone(),
                _ => MappedText::unplaced(header.text.as_str()),
            };
            table.append("\n", &piece);
            table
        };
        pieces.into_iter().enumerate().map(with_header).collect()
    }

    fn fragments(&self, parts: &[Part], limit: Limit) -> Vec<Fragment> {
        let mut found = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let first = found.len();
            self.cut(&part.text, number, limit, &mut found);
            if let Some(fragment) = found.get_mut(first) {
                fragment.glue = part.glue;
            }
        }
        found
    }

    /// Appends the text whole when it fits, else its sentences or lines, else words, else letters.
    fn cut(&self, text: &MappedText, part: usize, limit: Limit, found: &mut Vec<Fragment>) {
        let Some(fragment) = self.whole(text, part, limit) else {
            let ranges = match limit.flow {
                Flow::Code => lines(text.as_str()),
                _ => sentences(text.as_str()),
            };
            for range in with_marks(text, ranges) {
                let sentence = text.slice(range);
                match self.whole(&sentence, part, limit) {
                    Some(fragment) => found.push(fragment),
                    None => self.cut_words(&sentence, part, limit, found),
                }
            }
            return;
        };
        found.push(fragment);
    }

    fn cut_words(&self, text: &MappedText, part: usize, limit: Limit, found: &mut Vec<Fragment>) {
        for range in words(text.as_str()) {
            let word = text.slice(range);
            match self.whole(&word, part, limit) {
                Some(fragment) => found.push(fragment),
                None => self.cut_letters(&word, part, limit, found),
            }
        }
    }

    /// Chunks of letters, halved until they fit; a single letter passes whatever it counts.
    fn cut_letters(&self, text: &MappedText, part: usize, limit: Limit, found: &mut Vec<Fragment>) {
        let letters: Vec<usize> = text.as_str().char_indices().map(|(at, _)| at).collect();
        let per_token = letters.len() / self.tokens(text.as_str()).max(1);
        let mut take = (limit.tokens * per_token.max(1)).max(1);
        let mut from = 0;
        while let Some(start) = letters.get(from) {
            let end = letters
                .get(from + take)
                .copied()
                .unwrap_or(text.as_str().len());
            let chunk = text.slice(*start..end);
            match self.whole(&chunk, part, limit) {
                None if take > 1 => take /= 2,
                fragment => {
                    found.push(fragment.unwrap_or(Fragment {
                        tokens: limit.tokens,
                        words: 1,
                        glue: "",
                        part,
                        text: chunk,
                    }));
                    from += take;
                }
            }
        }
    }

    /// The text as one fragment, when it fits.
    fn whole(&self, text: &MappedText, part: usize, limit: Limit) -> Option<Fragment> {
        let words = match limit.flow {
            Flow::PlainText => count_words(text.as_str()),
            _ => 0,
        };
        let tokens = if words > limit.words {
            usize::MAX
        } else {
            self.tokens(text.as_str())
        };
        (tokens <= limit.tokens && words <= limit.words).then(|| Fragment {
            text: text.clone(),
            glue: "",
            part,
            tokens,
            words,
        })
    }

    /// Fills pieces in order. Where a part is cut, the next piece repeats the end of the one
    /// before.
    fn pack(&self, fragments: &[Fragment], limit: Limit) -> Vec<MappedText> {
        let mut pieces = Vec::new();
        let placed = fragments.iter().any(|fragment| fragment.text.is_placed());
        let mut start = 0;
        while start < fragments.len() {
            let mut end = fill(fragments, start, limit);
            let mut piece = join(fragments, start..end, limit.flow);
            // The sum of counts is nearly always an upper bound; where it is not, give way.
            while end > start + 1 && self.tokens(piece.as_str()) > limit.tokens {
                end -= 1;
                piece = join(fragments, start..end, limit.flow);
            }
            // A list mark that found no room beside its text says nothing alone.
            if !piece.is_blank() && (piece.is_placed() || !placed) {
                pieces.push(piece);
            }
            start = self.overlap(fragments, start, end, limit);
        }
        pieces
    }

    /// Where the next piece starts.
    fn overlap(&self, fragments: &[Fragment], start: usize, end: usize, limit: Limit) -> usize {
        let Some(next) = fragments.get(end) else {
            return end;
        };
        let share = |all: usize| all.saturating_mul(self.overlap_percent) / 100;
        let (mut tokens, mut words) = (0, 0);
        let mut from = end;
        while let Some(before) = from.checked_sub(1).filter(|before| *before > start) {
            let Some(fragment) = fragments.get(before) else {
                break;
            };
            tokens += fragment.tokens;
            words += fragment.words;
            let small = match limit.words {
                usize::MAX => tokens <= share(limit.tokens),
                most => words <= share(most) && words + next.words <= most,
            };
            if fragment.part != next.part || !small || tokens + next.tokens > limit.tokens {
                break;
            }
            from = before;
        }
        from
    }
}

/// The end of the piece that starts at `start`: at least one fragment, and as many as fit.
fn fill(fragments: &[Fragment], start: usize, limit: Limit) -> usize {
    let (mut tokens, mut words) = (0_usize, 0_usize);
    let mut end = start;
    for fragment in fragments.get(start..).unwrap_or_default() {
        tokens += fragment.tokens;
        words += fragment.words;
        if end > start && (tokens > limit.tokens || words > limit.words) {
            break;
        }
        end += 1;
    }
    end
}

/// The fragments as one text without white space at its ends; code keeps its first line's indent.
fn join(fragments: &[Fragment], range: Range<usize>, flow: Flow) -> MappedText {
    let mut joined = MappedText::default();
    for (at, fragment) in fragments.get(range).unwrap_or_default().iter().enumerate() {
        joined.append(if at == 0 { "" } else { fragment.glue }, &fragment.text);
    }
    let text = joined.as_str();
    let mut start = text.len() - text.trim_start().len();
    if flow == Flow::Code {
        start = text
            .get(..start)
            .and_then(|blank| blank.rfind('\n'))
            .map_or(0, |at| at + 1);
    }
    joined.slice(start..text.trim_end().len().max(start))
}

/// The ranges, each list mark (text that does not stand in the source) joined to what follows it.
fn with_marks(text: &MappedText, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    let placed = text.is_placed();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if placed && !text.slice(last.clone()).is_placed() => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let line = |line: &str| {
        at += line.len();
        at - line.len()..at
    };
    text.split_inclusive('\n').map(line).collect()
}
