//! The best estimates of a search.

use crate::vectors::Slot;

/// Keeps the `size` slots with the highest estimates, and the bar that a newcomer must pass.
pub(super) struct Pool {
    size: usize,
    bar: f32,
    held: Vec<(f32, Slot)>,
}

impl Pool {
    pub(super) fn new(size: usize) -> Self {
        let size = size.max(1);
        Self {
            size,
            bar: f32::NEG_INFINITY,
            held: Vec::with_capacity(2 * size),
        }
    }

    /// Estimates up to this one need not be offered.
    pub(super) fn bar(&self) -> f32 {
        self.bar
    }

    pub(super) fn offer(&mut self, estimate: f32, slot: Slot) {
        self.held.push((estimate, slot));
        if self.held.len() >= 2 * self.size {
            self.prune();
        }
    }

    fn prune(&mut self) {
        if self.held.len() > self.size {
            let last = self.size - 1;
            let descending = |a: &(f32, Slot), b: &(f32, Slot)| b.0.total_cmp(&a.0);
            let (_, (bar, _), _) = self.held.select_nth_unstable_by(last, descending);
            self.bar = *bar;
            self.held.truncate(self.size);
        }
    }

    /// The best, in no particular order.
    pub(super) fn into_best(mut self) -> Vec<(f32, Slot)> {
        self.prune();
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_highest() {
        let mut pool = Pool::new(3);
        for slot in 0..100_u32 {
            let estimate = (slot * 37 % 100) as f32;
            if estimate > pool.bar() {
                pool.offer(estimate, slot);
            }
        }
        let mut best: Vec<f32> = pool.into_best().iter().map(|(e, _)| *e).collect();
        best.sort_by(f32::total_cmp);
        assert_eq!(best, [97.0, 98.0, 99.0]);
    }
}
