//! In which order to look into buckets: least certain bits flipped first.
//!
//! Lv, Josephson, Wang, Charikar, Li, "Multi-probe LSH: efficient indexing for high-dimensional
//! similarity search" (VLDB 2007), section 4.4: a bucket scores the sum of the squared margins of
//! the bits in which it differs from the query's own; a heap yields the sets of bits by rising
//! score, here over all tables together.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::planes::bucket;

/// The buckets of all tables, the most promising first; each once.
pub(crate) struct Probes {
    tables: Vec<Table>,
    next: BinaryHeap<Reverse<Step>>,
}

/// A bucket to look into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) table: usize,
    pub(crate) bucket: u32,
}

/// A table's own bucket for the query and its bits, least certain first.
struct Table {
    home: u32,
    bits: Vec<Bit>,
}

struct Bit {
    mask: u32,
    cost: f32,
}

/// A set of bits to flip, whose most certain one is `last` (a position in `Table::bits`).
struct Step {
    score: f32,
    table: usize,
    flips: u32,
    last: Option<usize>,
}

impl Probes {
    /// From the query's margins, `functions` of them per table.
    pub(crate) fn new(margins: &[f32], functions: usize) -> Self {
        let tables: Vec<Table> = margins.chunks_exact(functions).map(Table::new).collect();
        let home = |table| Reverse(Step::home(table));
        let next = (0..tables.len()).map(home).collect();
        Self { tables, next }
    }

    /// Lv et al.'s two moves: exchange the last bit for the next one, or add the next one.
    fn follow(&mut self, step: &Step) {
        let Some(table) = self.tables.get(step.table) else {
            return;
        };
        let following = step.last.map_or(0, |last| last + 1);
        let Some(bit) = table.bits.get(following) else {
            return;
        };
        let expanded = step.with(bit, following);
        if let Some(last) = step.last.and_then(|last| table.bits.get(last)) {
            self.next
                .push(Reverse(step.without(last).with(bit, following)));
        }
        self.next.push(Reverse(expanded));
    }
}

impl Iterator for Probes {
    type Item = Probe;

    fn next(&mut self) -> Option<Probe> {
        let Reverse(step) = self.next.pop()?;
        self.follow(&step);
        let home = self.tables.get(step.table)?.home;
        Some(Probe {
            table: step.table,
            bucket: home ^ step.flips,
        })
    }
}

impl Table {
    fn new(margins: &[f32]) -> Self {
        let cost = |(margin, position): (&f32, u32)| Bit {
            mask: 1 << position,
            cost: margin * margin,
        };
        let mut bits: Vec<Bit> = margins.iter().zip(0..).map(cost).collect();
        bits.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        Self {
            home: bucket(margins),
            bits,
        }
    }
}

impl Step {
    fn home(table: usize) -> Self {
        Self {
            score: 0.0,
            table,
            flips: 0,
            last: None,
        }
    }

    fn with(&self, bit: &Bit, last: usize) -> Self {
        Self {
            score: self.score + bit.cost,
            table: self.table,
            flips: self.flips | bit.mask,
            last: Some(last),
        }
    }

    fn without(&self, bit: &Bit) -> Self {
        Self {
            score: self.score - bit.cost,
            table: self.table,
            flips: self.flips & !bit.mask,
            last: self.last,
        }
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then((self.table, self.flips).cmp(&(other.table, other.flips)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn flips_the_least_certain_bits_first() {
        let probes = Probes::new(&[0.9, -0.1, 0.5], 3);
        let buckets: Vec<u32> = probes.map(|probe| probe.bucket).collect();
        let flips: Vec<u32> = buckets.iter().map(|bucket| bucket ^ 0b101).collect();
        assert_eq!(flips, [0, 0b010, 0b100, 0b110, 0b001, 0b011, 0b101, 0b111]);
    }

    #[test]
    fn reaches_every_bucket_of_every_table_once() {
        let margins = [0.3, -0.2, 0.1, 0.7, -0.4, 0.4, 0.4, -0.05];
        let probes: Vec<Probe> = Probes::new(&margins, 4).collect();
        let distinct: BTreeSet<(usize, u32)> = probes.iter().map(|p| (p.table, p.bucket)).collect();
        assert_eq!((probes.len(), distinct.len()), (32, 32));
    }
}
