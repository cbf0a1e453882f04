//! The next setting to try, from the seed and what was observed.

use super::draws::Draws;
use super::halving::Step;
use super::scalarise::scalarise;
use super::{Ladder, Method, random, tpe};
use crate::space::{Point, SearchSpace};

/// Settings that are drawn at random before the estimators have anything to go by.
const STARTING: usize = 10;

/// A setting that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Where it stands.
    pub place: Point,
    /// What it costs in each objective, the one that decides first; less is better.
    pub losses: Vec<f64>,
    /// The rung that it was measured on.
    pub rung: usize,
}

/// A setting to be measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Where it stands.
    pub place: Point,
    /// The rung to measure it on.
    pub rung: usize,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a proposal comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The settings in force.
    Current,
    /// A uniform draw.
    Random,
    /// Parzen estimators.
    Tpe,
    /// One of the best of the rung below.
    Promoted,
}

impl Origin {
    /// Its name in reports and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Random => "random",
            Self::Tpe => "tpe",
            Self::Promoted => "promoted",
        }
    }
}

/// What can go wrong in a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The optimiser refused an observation, for example one that is not a number.
    #[error("the optimiser cannot go on: {0}")]
    Optimiser(String),
}

/// A search over a space.
#[derive(Debug, Clone)]
pub struct Searcher {
    space: SearchSpace,
    method: Method,
    ladder: Ladder,
    current: Point,
    seed: u64,
}

impl Searcher {
    /// A search that begins with the settings in force. The ladder counts for
    /// [`Method::Halving`] alone.
    pub fn new(
        space: SearchSpace,
        method: Method,
        ladder: Ladder,
        current: Point,
        seed: u64,
    ) -> Self {
        let ladder = if method == Method::Halving {
            ladder
        } else {
            Ladder::FLAT
        };
        Self {
            space,
            method,
            ladder,
            current,
            seed,
        }
    }

    /// The ladder that it climbs.
    pub fn ladder(&self) -> Ladder {
        self.ladder
    }

    /// What to measure after these observations, which are in the order of their proposals.
    ///
    /// # Errors
    /// [`SearchError::Optimiser`] when a loss is not a number.
    pub fn next(&self, seen: &[Observation]) -> Result<Proposal, SearchError> {
        let top = self.ladder.top();
        let Some(number) = seen.len().checked_sub(1) else {
            let place = self.current.clone();
            return Ok(Proposal {
                place,
                rung: top,
                origin: Origin::Current,
            });
        };
        let mut draws = Draws::of(self.seed, seen.len());
        match (self.method, self.ladder.step(number)) {
            (Method::Random, _) => Ok(self.random(top, &mut draws)),
            (Method::Tpe, _) | (Method::Halving, Step::Enter) => self.estimate(seen, &mut draws),
            (
                Method::Halving,
                Step::Climb {
                    rung,
                    rank,
                    first,
                    count,
                },
            ) => {
                // The first observation is the setting in force, which is outside every bracket.
                let below = seen.iter().skip(1 + first).take(count);
                let mut below: Vec<&Observation> = below.collect();
                below.sort_by(|a, b| deciding(a).total_cmp(&deciding(b)));
                let place = below
                    .get(rank)
                    .map_or(&self.current, |one| &one.place)
                    .clone();
                Ok(Proposal {
                    place,
                    rung,
                    origin: Origin::Promoted,
                })
            }
        }
    }

    fn random(&self, rung: usize, draws: &mut Draws) -> Proposal {
        let place = random::propose(&self.space, draws);
        Proposal {
            place,
            rung,
            origin: Origin::Random,
        }
    }

    /// A proposal for the lowest rung, from what was observed there.
    fn estimate(&self, seen: &[Observation], draws: &mut Draws) -> Result<Proposal, SearchError> {
        let alike: Vec<&Observation> = seen.iter().filter(|one| one.rung == 0).collect();
        if alike.len() < STARTING {
            return Ok(self.random(0, draws));
        }
        let losses: Vec<Vec<f64>> = alike.iter().map(|one| one.losses.clone()).collect();
        let losses = scalarise(&losses, draws);
        let points: Vec<&Point> = alike.iter().map(|one| &one.place).collect();
        let place = tpe::propose(&self.space, &points, &losses, draws)?;
        Ok(Proposal {
            place,
            rung: 0,
            origin: Origin::Tpe,
        })
    }
}

fn deciding(one: &Observation) -> f64 {
    one.losses.first().copied().unwrap_or(f64::INFINITY)
}
