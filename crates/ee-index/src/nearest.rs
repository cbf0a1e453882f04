//! The best k of a stream of neighbours.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::Neighbour;

/// Keeps the `k` nearest of those offered.
pub(crate) struct Nearest {
    k: usize,
    worst_first: BinaryHeap<Ranked>,
}

impl Nearest {
    /// For the best `k` out of at most `offered`.
    pub(crate) fn new(k: usize, offered: usize) -> Self {
        let k = k.min(offered);
        Self {
            k,
            worst_first: BinaryHeap::with_capacity(k),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.worst_first.len()
    }

    /// Takes it in if it is among the best so far.
    pub(crate) fn offer(&mut self, key: u64, cosine: f32) {
        let entry = Ranked(Neighbour { key, cosine });
        if self.worst_first.len() < self.k {
            self.worst_first.push(entry);
        } else if let Some(mut worst) = self.worst_first.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }

    /// Best first, ties by smaller key.
    pub(crate) fn into_sorted(self) -> Vec<Neighbour> {
        let sorted = self.worst_first.into_sorted_vec().into_iter();
        sorted.map(|Ranked(near)| clamped(near)).collect()
    }
}

/// Rounding may lift the product of unit vectors a little over 1.
fn clamped(near: Neighbour) -> Neighbour {
    let cosine = near.cosine.clamp(-1.0, 1.0);
    Neighbour { cosine, ..near }
}

/// Ordered so that the better one is less: by falling cosine, then by rising key.
#[derive(PartialEq)]
struct Ranked(Neighbour);

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cosine = other.0.cosine.total_cmp(&self.0.cosine);
        by_cosine.then(self.0.key.cmp(&other.0.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(k: usize, offers: &[(u64, f32)]) -> Vec<u64> {
        let mut nearest = Nearest::new(k, offers.len());
        for (key, cosine) in offers {
            nearest.offer(*key, *cosine);
        }
        nearest.into_sorted().iter().map(|near| near.key).collect()
    }

    #[test]
    fn keeps_the_best_and_breaks_ties_by_key() {
        let offers = [(9, 0.5), (2, 0.5), (4, 0.9), (1, 0.1), (3, 0.5)];
        assert_eq!(keys(3, &offers), [4, 2, 3]);
        assert_eq!(keys(0, &offers), [0_u64; 0]);
        assert_eq!(keys(usize::MAX, &offers), [4, 2, 3, 9, 1]);
    }
}
