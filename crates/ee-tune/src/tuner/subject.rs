//! What a search measures: a suite on a dataset, prepared once.

use crate::space::TunableSettings;
use crate::{TuneError, WorstQuestion};

/// A question, conversation or file that counts by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its id.
    pub id: String,
    /// What it belongs to: cases of one group are never divided between search and verdict.
    pub group: String,
}

/// What one case came to under some settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The suite's metrics in its order, more is better.
    pub metrics: Vec<f64>,
    /// Tokens that the model is shown, where the suite counts them.
    pub tokens: Option<f64>,
    /// Steps of work that finding it takes (units fused, pairs read), where the suite counts them.
    pub work: Option<f64>,
}

/// A suite on a dataset with everything costly done: embeddings, candidates, cross-encoder scores.
/// The same settings and cases always give the same measures.
pub trait TuningSubject: Sync {
    /// The suite.
    fn suite(&self) -> &'static str;

    /// The dataset.
    fn data(&self) -> &str;

    /// The names of the metrics, in the order of [`Measure::metrics`]; the first one decides unless
    /// the plan says otherwise.
    fn metrics(&self) -> &[&'static str];

    /// The cases, sorted by id.
    fn cases(&self) -> &[Case];

    /// Milliseconds that a step of work took while everything was prepared; 0 where none is
    /// counted.
    fn milliseconds_per_step(&self) -> f64 {
        0.0
    }

    /// Whether a setting has any say in the measures; others would be searched in vain.
    fn reads(&self, key: &str) -> bool;

    /// The settings that are searched unless others are named.
    fn searched(&self) -> &[&'static str];

    /// Measures the cases at these places, in their order.
    ///
    /// # Errors
    /// [`TuneError`] for settings that the engine refuses, or when a part fails.
    fn measure(
        &self,
        settings: &TunableSettings,
        places: &[usize],
    ) -> Result<Vec<Measure>, TuneError>;

    /// What came for a case, for people to look at; its score is filled in by the caller.
    ///
    /// # Errors
    /// As for [`TuningSubject::measure`].
    fn show(&self, settings: &TunableSettings, place: usize) -> Result<WorstQuestion, TuneError>;
}
