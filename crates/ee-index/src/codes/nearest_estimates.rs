//! The best estimates of a search, and what may still be among the nearest.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::vectors::Slot;

/// Keeps every slot whose estimate is at most `margin` below the k-th best.
pub(super) struct NearestEstimates {
    k: usize,
    margin: f32,
    /// The k best, the least of them on top.
    best: BinaryHeap<Reverse<Estimate>>,
    /// All that exceeded the bar when they were offered.
    held: Vec<(f32, Slot)>,
}

impl NearestEstimates {
    /// `k` is at least 1, the margin at least 0.
    pub(super) fn new(k: usize, margin: f32) -> Self {
        Self {
            k,
            margin,
            best: BinaryHeap::with_capacity(k + 1),
            held: Vec::with_capacity(4 * k + 64),
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

    /// Estimates up to this one need not be offered.
    pub(super) fn bar(&self) -> f32 {
        self.kth() - self.margin
    }

    pub(super) fn offer(&mut self, estimate: f32, slot: Slot) {
        self.held.push((estimate, slot));
        if self.best.len() < self.k {
            self.best.push(Reverse(Estimate(estimate)));
        } else if let Some(mut least) = self.best.peek_mut()
            && estimate > least.0.0
        {
            *least = Reverse(Estimate(estimate));
        }
    }

    /// Those that exceed the last bar, best first.
    pub(super) fn into_sorted(mut self) -> Vec<(f32, Slot)> {
        let bar = self.bar();
        self.held.retain(|(estimate, _)| *estimate > bar);
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
    fn keeps_what_is_within_the_margin_of_the_kth() {
        let mut nearest = NearestEstimates::new(3, 2.5);
        for slot in 0..100_u32 {
            let estimate = (slot * 37 % 100) as f32;
            if estimate > nearest.bar() {
                nearest.offer(estimate, slot);
            }
        }
        let kept: Vec<f32> = nearest.into_sorted().iter().map(|(e, _)| *e).collect();
        assert_eq!(kept, [99.0, 98.0, 97.0, 96.0, 95.0]);
    }

    #[test]
    fn keeps_all_before_there_are_k() {
        let mut nearest = NearestEstimates::new(3, 0.0);
        nearest.offer(-5.0, 1);
        nearest.offer(2.0, 2);
        assert_eq!(nearest.into_sorted(), [(2.0, 2), (-5.0, 1)]);
    }
}
