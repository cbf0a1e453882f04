//! Finished runs side by side: paired comparison, and the report of a sweep.

mod compare;
mod metric;
mod report;
mod sensitivity;
mod varied;
mod worst;

pub use compare::{RunComparison, compare_runs};
pub use metric::{direction_of, main_metric};
pub use report::{RunsReport, report_runs};
pub use worst::worst_questions;
