//! What a suite hands back: one shape for all suites, as `eerag eval --json` prints it.

use std::collections::BTreeMap;

use ee_pipeline::Cancellation;
use km_core::AccessScope;
use serde::Serialize;
use serde_json::Value;

use crate::blend::{Labelled, score_minimum};
use crate::bootstrap::mean;
use crate::{
    CaseCost, CaseRow, CaseRunner, Comparison, Interval, MinimumScore, Part, confidence_interval,
};

/// What a run was made with, for the report.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The system or session under test.
    pub system: String,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// The settings in force.
    pub settings: Value,
    /// The embedder.
    pub model: String,
}

/// How a suite is run: on which part, on whose behalf, watched by whom.
#[derive(Clone, Copy)]
pub struct SuiteRun<'a> {
    /// Which questions.
    pub part: &'a Part,
    /// On whose behalf the engine reads.
    pub scope: &'a AccessScope,
    /// What the run is made with.
    pub setup: &'a Setup,
    /// Is told how the run goes on.
    pub progress: &'a dyn SuiteProgress,
    /// Stops the run between two questions.
    pub cancellation: &'a Cancellation,
    /// How the questions are run and where their rows are kept.
    pub cases: CaseRunner<'a>,
}

/// A suite's result.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteReport {
    /// The suite.
    pub suite: &'static str,
    /// The dataset.
    pub data: String,
    /// The system or session under test.
    pub system: String,
    /// Questions that count.
    pub n: usize,
    /// Wall time of the run, in seconds.
    pub seconds: f64,
    /// Means by metric, in the suite's order.
    pub metrics: serde_json::Map<String, Value>,
    /// 95% bootstrap intervals of those metrics that are means over questions.
    pub intervals: BTreeMap<String, Interval>,
    /// The same metrics by category, where the data has categories.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub groups: serde_json::Map<String, Value>,
    /// Mean milliseconds of each stage, where the system has stages.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub stage_milliseconds: serde_json::Map<String, Value>,
    /// This system against another on the same questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Comparison>,
    /// Minimum contexts on questions that they were not calibrated on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub minimum: Vec<MinimumScore>,
    /// Mean cost of a question in calls, tokens and time, where a session answers.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub costs: serde_json::Map<String, Value>,
    /// The questions one by one; they go to a file of their own.
    #[serde(skip)]
    pub rows: Vec<CaseRow>,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// The settings in force.
    pub settings: Value,
    /// The embedder.
    pub model: String,
    /// This program's version.
    pub version: &'static str,
}

impl SuiteReport {
    /// An empty report.
    pub(crate) fn new(suite: &'static str, data: &str, setup: &Setup, n: usize) -> Self {
        Self {
            suite,
            data: data.to_owned(),
            system: setup.system.clone(),
            n,
            seconds: 0.0,
            metrics: serde_json::Map::new(),
            intervals: BTreeMap::new(),
            groups: serde_json::Map::new(),
            stage_milliseconds: serde_json::Map::new(),
            compared: Vec::new(),
            minimum: Vec::new(),
            costs: serde_json::Map::new(),
            rows: Vec::new(),
            seed: setup.seed,
            settings: setup.settings.clone(),
            model: setup.model.clone(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Adds a metric that is the mean of `values`, with its interval.
    pub(crate) fn add_mean(&mut self, name: &str, values: &[f64]) {
        self.add_value(name, mean(values));
        let interval = confidence_interval(values, self.seed).map(rounded);
        self.intervals.insert(name.to_owned(), interval);
    }

    /// Adds a metric that is not a mean over questions.
    pub(crate) fn add_value(&mut self, name: &str, value: f64) {
        self.metrics
            .insert(name.to_owned(), Value::from(rounded(value)));
    }

    /// Adds what questions cost on average in calls, tokens and time.
    pub(crate) fn add_costs(&mut self, rows: &[CaseRow]) {
        let costs: Vec<_> = rows.iter().map(|row| row.cost.named()).collect();
        for (place, (name, _)) in CaseCost::default().named().into_iter().enumerate() {
            let values = costs.iter().filter_map(|costs| costs.get(place));
            let values: Vec<f64> = values.map(|(_, value)| *value).collect();
            self.costs
                .insert(name.to_owned(), Value::from(rounded_mean(&values)));
        }
    }

    /// Adds what minimum contexts do, each group of questions under what the others taught.
    pub(crate) fn add_minimum<G: PartialEq>(&mut self, questions: &[&Labelled], groups: &[G]) {
        self.minimum = score_minimum(questions, groups);
    }

    /// A metric's value, if the suite has it.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name).and_then(Value::as_f64)
    }
}

/// The mean, as a report shows it.
pub(crate) fn rounded_mean(values: &[f64]) -> f64 {
    rounded(mean(values))
}

/// Four decimals, as the reference metrics print them.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Is told how a suite goes on.
pub trait SuiteProgress: Sync {
    /// `done` of `all` questions are measured; `score` is the running mean of the main metric.
    fn question(&self, done: usize, all: usize, score: f64);
}
