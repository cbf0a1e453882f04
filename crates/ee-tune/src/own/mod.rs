//! A user's own labelled set: documents and questions in one folder, or questions about a store.

mod dataset;
mod draft;
mod language;

pub use dataset::OwnDataset;
pub use draft::{draft_questions, write_questions};
