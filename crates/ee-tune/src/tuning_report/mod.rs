//! The report of a search, a sweep or a comparison: plain data, written as one HTML file that needs
//! nothing else, or as JSON.

#[cfg(all(test, feature = "test-browser"))]
mod browser;
mod comparison_row;
mod data_checksum;
mod html;
mod machine;
mod objective;
mod pareto;
mod report;
mod reproducibility;
#[cfg(test)]
mod sample;
mod sensitivity;
mod trial;
mod verdict;
mod worst_question;
mod write;

pub use comparison_row::ComparisonRow;
pub use data_checksum::DataChecksum;
pub use machine::Machine;
pub use objective::{Direction, Objective, ObjectiveRole};
pub use pareto::pareto_front;
pub use report::TuningReport;
pub use reproducibility::Reproducibility;
pub use sensitivity::{Sensitivity, SensitivityPoint};
pub use trial::{ParameterValue, Trial, TrialOutcome};
pub use verdict::{Decision, SettingChange, Verdict};
pub use worst_question::WorstQuestion;
pub use write::{write_html, write_json};
