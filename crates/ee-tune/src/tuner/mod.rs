//! Choosing settings on evidence.
//!
//! [`tune`] divides the cases in two, searches on one part with cross-validation, takes back every
//! change that does not help, and proposes what remains only if it beats the settings in force on
//! the other part, which nothing before has looked at, with 95% confidence.

mod calibration;
mod candidates;
mod changes;
mod cross_validation;
mod journal;
mod memory_subject;
mod plan;
mod precise_subject;
mod record;
mod retrieval_subject;
mod sensitivity;
mod split;
mod subject;
mod thread_subject;
mod trials;
mod tune;
mod tuned_file;
mod verdict;

pub use calibration::{Calibrated, calibrate};
pub use journal::{Journal, JournalHeader};
pub use memory_subject::MemoryTuning;
pub use plan::{Costs, TuningPlan, metric_named};
pub use precise_subject::PreciseTuning;
pub use record::TrialRecord;
pub use retrieval_subject::RetrievalTuning;
pub use split::Split;
pub use subject::{Case, Measure, TuningSubject};
pub use thread_subject::ThreadTuning;
pub use trials::TuningProgress;
pub use tune::{Tuned, TuningRun, tune};
pub use tuned_file::{merge_changes, merge_files, put_sections, tuned_text};
pub use verdict::{compare_settings, parameter_value};
