//! Questions with accepted, possible and rejected answers, asked and judged.

mod dataset;
mod judgement;
mod score;
mod suite;
mod words;

pub(crate) use dataset::{OneOrMany, QaRow, question_file};
pub use dataset::{QaDataset, QaQuestion};
pub use judgement::{QaVerdict, judge};
pub use score::QaScore;
pub use suite::{QaSubject, run_qa};
