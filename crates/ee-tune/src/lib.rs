//! Everything the engine decides, measured on labelled data.
//!
//! A *dataset* is loaded and checked once ([`BeirDataset`], [`IntentDataset`]); a *suite* runs the
//! real engine over it ([`run_retrieval`], [`run_election`], [`run_intents`]) and gives a
//! [`SuiteReport`] with means, bootstrap confidence intervals and per-question rows. A
//! [`SearchSpace`] holds what the settings declare as tunable, and [`tune`] chooses among them on
//! one part of the cases and judges on another. This crate measures and proposes; it never serves
//! a user.

mod beir;
mod blend;
mod bootstrap;
mod cholesky;
mod clock;
mod comparison;
mod election_metrics;
mod election_suite;
mod error;
mod intents;
mod memory_dataset;
mod memory_metrics;
mod memory_suite;
mod own;
mod part;
mod public;
mod qa;
mod report;
mod retrieval_metrics;
mod retrieval_suite;
mod rows;
mod runner;
mod runs;
mod search;
mod space;
mod stage_clock;
mod thread_dataset;
mod thread_metrics;
mod thread_suite;
mod trec;
mod tuner;
mod tuning_report;

pub use beir::{BeirDataset, Document, Judgements, Question, QuestionFile};
pub use blend::{Fitted, Labelled, MinimumScore, fit};
pub use bootstrap::{Interval, confidence_interval};
pub use comparison::{Comparison, PairedDifference};
pub use election_metrics::{ElectionCase, ElectionScores, score_election};
pub use election_suite::{ElectionSubject, run_election};
pub use error::TuneError;
pub use intents::{
    IntentCase, IntentClassifier, IntentDataset, IntentGuess, IntentSettings, Utterance,
    run_intents,
};
pub use memory_dataset::{MemoryDataset, MemoryQuestion, MemoryTurn};
pub use memory_metrics::{MEMORY_DEPTHS, MemoryScores, score_memory};
pub use memory_suite::{MemorySubject, RankedTurns, cross_fit_memory, run_memory};
pub use own::{OwnDataset, draft_questions, write_questions};
pub use part::{Half, Part};
#[cfg(feature = "fetch")]
pub use public::{FetchReport, fetch_public};
pub use public::{PUBLIC_DATASETS, PublicDataset, PublicFile, PublicLayout};
pub use qa::{QaDataset, QaQuestion, QaScore, QaSubject, QaVerdict, judge, run_qa};
pub use report::{Setup, SuiteProgress, SuiteReport, SuiteRun};
pub use retrieval_metrics::{RetrievalScores, score_ranking};
pub use retrieval_suite::{RankedDocument, RetrievalRun, cross_fit_retrieval, run_retrieval};
pub use runner::{CaseCost, CaseRow, CaseRunner, RowFile, RowHeader, RunRows, flat_settings};
pub use runs::{
    RunComparison, RunsReport, compare_runs, direction_of, main_metric, report_runs,
    worst_questions,
};
pub use search::{Ladder, Method, Observation, Origin, Proposal, SearchError, Searcher};
pub use space::{
    Declaration, DeclarationError, Domain, Parameter, Point, Preset, Scale, SearchSpace,
    SpaceError, TunableSettings,
};
pub use thread_dataset::{ThreadDataset, ThreadMessage};
pub use thread_metrics::{ThreadPoint, ThreadScores, score_threads};
pub use thread_suite::{AssignedThread, ThreadSubject, run_threads};
pub use trec::write_trec_run;
pub use tuner::{
    Calibrated, Case, Costs, Journal, JournalHeader, Measure, MemoryTuning, PreciseTuning,
    RetrievalTuning, Split, ThreadTuning, TrialRecord, Tuned, TuningPlan, TuningProgress,
    TuningRun, TuningSubject, calibrate, compare_settings, merge_changes, merge_files,
    metric_named, parameter_value, put_sections, tune, tuned_text,
};
pub use tuning_report::{
    ComparisonRow, DataChecksum, Decision, Direction, Machine, Objective, ObjectiveRole,
    ParameterValue, Reproducibility, Sensitivity, SensitivityPoint, SettingChange, Trial,
    TrialOutcome, TuningReport, Verdict, WorstQuestion, pareto_front, write_html, write_json,
};
