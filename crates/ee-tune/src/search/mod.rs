//! Where a search looks next.
//!
//! The next proposal is a function of the seed and of everything observed before, and of nothing
//! else: a search that is replayed from its records goes on as if it had never stopped.

mod draws;
mod halving;
mod method;
mod random;
mod scalarise;
mod searcher;
mod tpe;

pub use halving::Ladder;
pub use method::Method;
pub use searcher::{Observation, Origin, Proposal, SearchError, Searcher};
