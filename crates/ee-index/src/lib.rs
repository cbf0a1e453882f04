//! Nearest neighbours by cosine over unit-length vectors.
//!
//! The trait is [`VectorIndex`]. [`AdaptiveIndex`] is the one to use: it compares with every
//! vector while the collection is small ([`ExactIndex`] always does) and hashes above that, by sign
//! codes ([`LshIndex`]) or by tables of random hyperplanes ([`HyperplaneLsh`]). This crate knows keys and vectors; it knows no text and no SQL.
//!
//! ```
//! use ee_index::{AdaptiveIndex, IndexConfig, VectorIndex};
//!
//! # fn main() -> Result<(), ee_index::IndexError> {
//! let index = AdaptiveIndex::new(2, &IndexConfig::default())?;
//! index.upsert(&[(7, &[1.0, 0.0]), (8, &[0.6, 0.8])])?;
//! let nearest = index.search(&[0.0, 1.0], 1, None)?;
//! assert_eq!(nearest[0].key, 8);
//! # Ok(())
//! # }
//! ```

mod adaptive;
mod bytes;
mod codes;
mod collection;
mod components;
mod config;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod exact;
mod file;
mod finder;
mod gaussian;
mod hyperplane;
mod index;
mod kernels;
mod nearest;
mod vectors;

pub use adaptive::{AdaptiveIndex, OpenedIndex};
pub use codes::LshIndex;
pub use config::{IndexConfig, Method};
pub use error::IndexError;
pub use exact::ExactIndex;
pub use file::FORMAT_VERSION;
pub use hyperplane::HyperplaneLsh;
pub use index::{Filter, Neighbour, VectorIndex};
pub use kernels::instructions;
