//! What a search is asked to do.

use sha2::{Digest, Sha256};

use super::{Case, JournalHeader, TuningSubject};
use crate::TuneError;
use crate::search::Method;
use crate::space::{SearchSpace, TunableSettings};

/// Which costs the search weighs beside quality; the Pareto front always shows all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Costs {
    /// Tokens that the model is shown.
    pub tokens: bool,
    /// Milliseconds.
    pub milliseconds: bool,
}

/// A search as it is asked for.
#[derive(Debug, Clone)]
pub struct TuningPlan {
    /// What is varied.
    pub space: SearchSpace,
    /// How.
    pub method: Method,
    /// How many trials are measured, the settings in force counted in.
    pub trials: usize,
    /// Seed of the search and of every confidence interval.
    pub seed: u64,
    /// The settings in force.
    pub current: TunableSettings,
    /// Place of the deciding metric among the subject's.
    pub metric: usize,
    /// What the search weighs beside it.
    pub costs: Costs,
}

impl TuningPlan {
    /// Refuses a space with parameters that the subject does not read.
    ///
    /// # Errors
    /// [`TuneError::Unread`] with their keys, or when the space is empty.
    pub fn check(&self, subject: &dyn TuningSubject) -> Result<(), TuneError> {
        let parameters = self.space.parameters().iter();
        let keys: Vec<String> = parameters
            .filter(|parameter| !subject.reads(&parameter.key))
            .map(|parameter| parameter.key.clone())
            .collect();
        if keys.is_empty() && !self.space.is_empty() {
            return Ok(());
        }
        Err(TuneError::Unread {
            suite: subject.suite(),
            keys,
        })
    }

    /// What the journal of this search begins with.
    ///
    /// # Errors
    /// [`TuneError::Space`] when the settings cannot be written as JSON.
    pub fn header(&self, subject: &dyn TuningSubject) -> Result<JournalHeader, TuneError> {
        let names = [
            (self.costs.tokens, "tokens"),
            (self.costs.milliseconds, "time"),
        ];
        let costs = names.iter().filter(|(asked, _)| *asked);
        let metric = subject
            .metrics()
            .get(self.metric)
            .copied()
            .unwrap_or_default();
        Ok(JournalHeader {
            version: JournalHeader::VERSION,
            subject: format!("{} on {}", subject.suite(), subject.data()),
            metric: metric.to_owned(),
            method: self.method.name().to_owned(),
            seed: self.seed,
            space: self
                .space
                .parameters()
                .iter()
                .map(|one| one.key.clone())
                .collect(),
            current: serde_json::to_value(&self.current).map_err(crate::SpaceError::from)?,
            costs: costs.map(|(_, name)| (*name).to_owned()).collect(),
            cases: digest(subject.cases()),
            milliseconds_per_step: subject.milliseconds_per_step(),
        })
    }
}

fn digest(cases: &[Case]) -> String {
    let mut hash = Sha256::new();
    for case in cases {
        hash.update(case.group.as_bytes());
        hash.update([0]);
        hash.update(case.id.as_bytes());
        hash.update([0]);
    }
    hex::encode(hash.finalize())
}

/// The place of a metric by its name.
///
/// # Errors
/// [`TuneError::Metric`] with the names that there are.
pub fn metric_named(subject: &dyn TuningSubject, name: &str) -> Result<usize, TuneError> {
    let found = subject.metrics().iter().position(|known| *known == name);
    found.ok_or_else(|| TuneError::Metric {
        suite: subject.suite(),
        found: name.to_owned(),
        known: subject.metrics().to_vec(),
    })
}
