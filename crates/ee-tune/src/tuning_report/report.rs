//! What a report holds.

use serde::{Deserialize, Serialize};

use super::{
    ComparisonRow, Objective, Reproducibility, Sensitivity, Trial, Verdict, WorstQuestion,
};

/// Everything a search, a sweep or a comparison found, in the order in which it is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuningReport {
    /// What was done on which data, in a few words: the page's heading.
    pub title: String,
    /// What follows from it.
    pub verdict: Verdict,
    /// Systems against a baseline on the same questions.
    pub comparisons: Vec<ComparisonRow>,
    /// What the trials were judged by, the one that decides first.
    pub objectives: Vec<Objective>,
    /// All trials, by number.
    pub trials: Vec<Trial>,
    /// Numbers of the finished trials that no other one beats in every objective.
    pub pareto_front: Vec<usize>,
    /// What each parameter does to the deciding objective, the most influential first.
    pub sensitivity: Vec<Sensitivity>,
    /// The questions that went worst under the proposed setting, the worst first.
    pub worst_questions: Vec<WorstQuestion>,
    /// What it takes to get the same numbers again.
    pub reproducibility: Reproducibility,
}
