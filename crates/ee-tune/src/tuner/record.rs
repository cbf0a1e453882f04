//! A trial as it is recorded, with everything that a later step of the search goes by.

use serde::{Deserialize, Serialize};

use super::Measure;
use crate::Interval;
use crate::bootstrap::mean;
use crate::confidence_interval;
use crate::search::Observation;

/// A trial that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRecord {
    /// Its number, from 0.
    pub number: usize,
    /// Where it comes from.
    pub origin: String,
    /// Its place in the space.
    pub place: Vec<f64>,
    /// The rung that it was measured on.
    pub rung: usize,
    /// How many cases it was measured on.
    pub cases: usize,
    /// The mean of the deciding metric.
    pub quality: f64,
    /// The 95% bootstrap interval of that mean.
    pub interval: Interval,
    /// The mean in each fold with how many of its cases were measured.
    pub folds: Vec<(f64, usize)>,
    /// Mean tokens, where the suite counts them.
    pub tokens: Option<f64>,
    /// Mean milliseconds, where the suite counts them.
    pub milliseconds: Option<f64>,
    /// Wall time, in seconds.
    pub seconds: f64,
}

/// Values of one metric in the order of the measures.
pub(super) fn column(measures: &[Measure], metric: usize) -> Vec<f64> {
    let value = |one: &Measure| one.metrics.get(metric).copied().unwrap_or_default();
    measures.iter().map(value).collect()
}

impl TrialRecord {
    /// What measures of one trial come to; `folds` gives the fold of each.
    pub(super) fn summarise(
        &mut self,
        measures: &[Measure],
        metric: usize,
        folds: &[usize],
        milliseconds_per_step: f64,
    ) {
        let values = column(measures, metric);
        self.cases = values.len();
        self.quality = mean(&values);
        self.interval = confidence_interval(&values, self.number as u64);
        let count = folds.iter().max().map_or(0, |last| last + 1);
        self.folds = (0..count)
            .map(|fold| {
                let of_fold = values.iter().zip(folds).filter(|(_, at)| **at == fold);
                let of_fold: Vec<f64> = of_fold.map(|(value, _)| *value).collect();
                (mean(&of_fold), of_fold.len())
            })
            .collect();
        self.tokens = mean_of(measures, |one| one.tokens);
        let work = mean_of(measures, |one| one.work);
        self.milliseconds = work.map(|steps| steps * milliseconds_per_step);
    }

    /// What the search learns from it: losses in the objectives asked for.
    pub(super) fn observation(&self, costs: super::Costs) -> Observation {
        let mut losses = vec![-self.quality];
        losses.extend(self.tokens.filter(|_| costs.tokens));
        losses.extend(self.milliseconds.filter(|_| costs.milliseconds));
        Observation {
            place: self.place.clone(),
            losses,
            rung: self.rung,
        }
    }
}

fn mean_of(measures: &[Measure], value: impl Fn(&Measure) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = measures.iter().map(value).collect();
    values.map(|values| mean(&values))
}
