//! Bounded walks over the links between units.

use std::collections::HashSet;

use crate::{Link, LinkKind, UnitId};

/// How far a walk goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkBounds {
    /// The kinds of link that are followed, preferred ones first.
    pub kinds: Vec<LinkKind>,
    /// The most links between a start and a unit; 0 reaches the starts alone.
    pub max_depth: usize,
    /// The most links followed from one unit, starts included.
    pub max_fan_out: usize,
    /// The most units reached, starts included.
    pub max_units: usize,
}

/// A unit that a walk reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// The unit.
    pub unit: UnitId,
    /// Links between it and the nearest start.
    pub depth: usize,
    /// The unit it was reached from and over which kind of link; absent at a start.
    pub via: Option<(UnitId, LinkKind)>,
}

/// Walks from `starts` along links, nearest units first, every unit once.
///
/// `links` is asked once per depth for the links of a whole frontier and answers with one list per
/// unit, in that order; it leaves out whatever the caller may not see. From each unit, links are
/// followed in the order of [`WalkBounds::kinds`] and of their targets' ids, so that the result
/// does not depend on the order in which a store returns them. The walk ends in any graph.
///
/// # Errors
/// Whatever `links` returns.
pub fn walk_links<E>(
    starts: &[UnitId],
    bounds: &WalkBounds,
    mut links: impl FnMut(&[UnitId]) -> Result<Vec<Vec<Link>>, E>,
) -> Result<Vec<Reached>, E> {
    let mut walk = Walk::new(bounds);
    let mut frontier = Vec::new();
    for start in starts {
        frontier.extend(walk.reach(*start, 0, None));
    }
    for depth in 1..=bounds.max_depth {
        if frontier.is_empty() || walk.is_full() {
            break;
        }
        let answers = links(&frontier)?;
        let mut next = Vec::new();
        for (from, answer) in frontier.iter().zip(answers) {
            for link in followed(answer, bounds) {
                next.extend(walk.reach(link.target, depth, Some((*from, link.kind))));
            }
        }
        frontier = next;
    }
    Ok(walk.reached)
}

struct Walk<'a> {
    bounds: &'a WalkBounds,
    seen: HashSet<UnitId>,
    reached: Vec<Reached>,
}

impl<'a> Walk<'a> {
    fn new(bounds: &'a WalkBounds) -> Self {
        Self {
            bounds,
            seen: HashSet::new(),
            reached: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.reached.len() >= self.bounds.max_units
    }

    /// The unit, when it is new and there is room for it.
    fn reach(
        &mut self,
        unit: UnitId,
        depth: usize,
        via: Option<(UnitId, LinkKind)>,
    ) -> Option<UnitId> {
        if self.is_full() || !self.seen.insert(unit) {
            return None;
        }
        self.reached.push(Reached { unit, depth, via });
        Some(unit)
    }
}

/// The links of one unit that the bounds let through, in the order in which they are followed.
fn followed(links: Vec<Link>, bounds: &WalkBounds) -> Vec<Link> {
    let preference = |kind| bounds.kinds.iter().position(|wanted| *wanted == kind);
    let mut kept: Vec<(usize, Link)> = links
        .into_iter()
        .filter_map(|link| Some((preference(link.kind)?, link)))
        .collect();
    kept.sort_unstable();
    kept.dedup();
    kept.truncate(bounds.max_fan_out);
    kept.into_iter().map(|(_, link)| link).collect()
}
