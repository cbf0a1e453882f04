//! From places in the canonical text back to bytes of the original file.

use std::ops::Range;

use km_core::ByteSpan;

/// A stretch in which every step of the canonical text matches a step of the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    canonical: usize,
    original: usize,
    /// Bytes of one step: 1 and 1 where nothing changed, 1 and 2 for ASCII out of UTF-16.
    step: (usize, usize),
}

/// Maps bytes of the canonical text to bytes of the original file, which it was made from by
/// decoding, line-end unification and Unicode composition.
#[derive(Debug, Clone, Default)]
pub(crate) struct OffsetMap {
    runs: Vec<Run>,
    canonical: usize,
    original: usize,
}

impl OffsetMap {
    /// A map whose first original byte is at `original`, after a byte-order mark for example.
    pub(crate) fn starting_at(original: usize) -> Self {
        Self {
            original,
            ..Self::default()
        }
    }

    /// Appends `length` bytes that are the same in both.
    pub(crate) fn push_equal(&mut self, length: usize) {
        self.push((1, 1), length);
    }

    /// Appends `canonical` bytes that stand for `original` bytes as one whole. Bytes that stand
    /// for nothing belong to the step before them.
    pub(crate) fn push_changed(&mut self, canonical: usize, original: usize) {
        if canonical == 0 {
            self.original += original;
        } else {
            self.push((canonical, original), 1);
        }
    }

    fn push(&mut self, step: (usize, usize), steps: usize) {
        let continues = self.runs.last().is_some_and(|run| {
            run.step == step
                && (self.canonical - run.canonical) / step.0 * step.1
                    == self.original - run.original
        });
        if !continues && steps > 0 {
            self.runs.push(Run {
                canonical: self.canonical,
                original: self.original,
                step,
            });
        }
        self.canonical += step.0 * steps;
        self.original += step.1 * steps;
    }

    /// The original byte at which the step starts that holds the canonical byte `offset`.
    fn start(&self, offset: usize) -> usize {
        if offset >= self.canonical {
            return self.original;
        }
        let after = self.runs.partition_point(|run| run.canonical <= offset);
        match after.checked_sub(1).and_then(|index| self.runs.get(index)) {
            Some(run) => run.original + (offset - run.canonical) / run.step.0 * run.step.1,
            None => 0,
        }
    }

    /// The original bytes behind a range of the canonical text; never less than what the range
    /// stands for.
    pub(crate) fn span(&self, range: Range<usize>) -> ByteSpan {
        let start = self.start(range.start);
        let last = match range.end.checked_sub(1) {
            Some(last) if last >= range.start => last,
            _ => return bytes(start, start),
        };
        let after = self.runs.partition_point(|run| run.canonical <= last);
        let end = match after.checked_sub(1).and_then(|index| self.runs.get(index)) {
            Some(run) => run.original + ((last - run.canonical) / run.step.0 + 1) * run.step.1,
            None => self.original,
        };
        bytes(start, end.max(start))
    }
}

fn bytes(start: usize, end: usize) -> ByteSpan {
    ByteSpan {
        start: start as u64,
        end: end as u64,
    }
}
