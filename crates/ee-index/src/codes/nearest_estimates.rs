//! The best estimates of a search, and what may still be among the nearest.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::vectors::Slot;

/// Keeps every slot whose estimate is less below the k-th best than it may err.
pub(super) struct NearestEstimates {
    k: usize,
    /// The k best, the least of them on top.
    best: BinaryHeap<Reverse<Estimate>>,
    /// The most that each may be, of all that exceeded the bar when they were offered.
    held: Vec<(f32, Slot)>,
    /// Estimates of those that a filter shut out, above the k-th best of their time.
    shut_out: Vec<f32>,
}

impl NearestEstimates {
    /// `k` is at least 1.
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            best: BinaryHeap::with_capacity(k + 1),
            held: Vec::with_capacity(4 * k + 64),
            shut_out: Vec::new(),
        }
    }

    /// The k-th best so far, minus infinity before there are k.
    pub(super) fn kth(&self) -> f32 {
        if self.best.len() < self.k {
            return f32::NEG_INFINITY;
        }
        let least = self.best.peek();
        least.map_or(f32::NEG_INFINITY, |Reverse(Estimate(least))| *least)
    }

    /// Takes an estimate in that may be too low by `error`, 0 or more, and was above the k-th best
    /// less that.
    pub(super) fn offer(&mut self, estimate: f32, error: f32, slot: Slot) {
        self.held.push((estimate + error, slot));
        if self.best.len() < self.k {
            self.best.push(Reverse(Estimate(estimate)));
        } else if let Some(mut least) = self.best.peek_mut()
            && estimate > least.0.0
        {
            *least = Reverse(Estimate(estimate));
        }
    }

    /// Notes an estimate of what a filter shuts out.
    pub(super) fn shut_out(&mut self, estimate: f32) {
        if estimate > self.kth() {
            self.shut_out.push(estimate);
        }
    }

    /// How many that a filter shut out have a better estimate than the k-th best.
    pub(super) fn shut_out_ahead(&self) -> usize {
        let kth = self.kth();
        self.shut_out.iter().filter(|one| **one > kth).count()
    }

    /// Those that may exceed the k-th best, with the most that they may be, best first.
    pub(super) fn into_sorted(mut self) -> Vec<(f32, Slot)> {
        let kth = self.kth();
        self.held.retain(|(most, _)| *most >= kth);
        self.held
            .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.held
    }
}

#[derive(PartialEq)]
struct Estimate(f32);

impl Eq for Estimate {}

impl PartialOrd for Estimate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Estimate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_may_exceed_the_kth() {
        let mut nearest = NearestEstimates::new(3);
        for slot in 0..100_u32 {
            let estimate = (slot * 37 % 100) as f32;
            if estimate > nearest.kth() - 2.5 {
                nearest.offer(estimate, 2.5, slot);
            }
        }
        let kept: Vec<f32> = nearest
            .into_sorted()
            .iter()
            .map(|(most, _)| *most)
            .collect();
        assert_eq!(kept, [101.5, 100.5, 99.5, 98.5, 97.5]);
    }

    #[test]
    fn keeps_all_before_there_are_k() {
        let mut nearest = NearestEstimates::new(3);
        nearest.offer(-5.0, 0.0, 1);
        nearest.offer(2.0, 0.0, 2);
        assert_eq!(nearest.into_sorted(), [(2.0, 2), (-5.0, 1)]);
    }
}
