//! Public datasets: where they come from, under which licence, and how they become ours.
//!
//! Nothing of them is kept in this project. [`PublicDataset::unpack`] turns what was downloaded
//! into a folder that a suite reads.

mod beir_archive;
mod clinc;
mod dataset;
#[cfg(feature = "fetch")]
mod fetch;
mod locomo;
mod sums;

pub use dataset::{PUBLIC_DATASETS, PublicDataset, PublicFile, PublicLayout};
#[cfg(feature = "fetch")]
pub use fetch::{FetchReport, fetch_public};
