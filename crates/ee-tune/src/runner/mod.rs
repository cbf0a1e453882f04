//! Running the questions of a suite: in parallel, with a row for each, to be taken up again.

mod case_row;
mod cases;
mod row_file;
mod settings;

pub use case_row::{CaseCost, CaseRow};
pub use cases::CaseRunner;
pub(crate) use cases::{column, run_cases};
pub use row_file::{RowFile, RowHeader, RunRows};
pub use settings::flat_settings;
pub(crate) use settings::is_place;
