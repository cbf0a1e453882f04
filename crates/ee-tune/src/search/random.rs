//! Uniform draws.

use rand::Rng;

use super::draws::Draws;
use crate::space::{Point, SearchSpace};

/// A point anywhere in the space.
pub(super) fn propose(space: &SearchSpace, draws: &mut Draws) -> Point {
    (0..space.len()).map(|_| draws.0.random::<f64>()).collect()
}
