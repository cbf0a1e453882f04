//! What each parameter does to the deciding metric.

use super::record::column;
use super::verdict::parameter_value;
use super::{Split, TrialRecord, TuningPlan, TuningSubject};
use crate::bootstrap::mean;
use crate::space::{Parameter, SearchSpace};
use crate::{Sensitivity, SensitivityPoint, TuneError, confidence_interval};

/// Values that are tried along a parameter, others staying at the best.
const VALUES: usize = 7;

/// Into how many parts of its range trials are sorted.
const BINS: usize = 5;

/// Looks along every parameter through the best point, on the searched cases.
pub(super) struct Lines<'a> {
    pub(super) subject: &'a dyn TuningSubject,
    pub(super) plan: &'a TuningPlan,
    pub(super) split: &'a Split,
    pub(super) best: &'a [f64],
    /// Trials on all searched cases.
    pub(super) trials: Vec<&'a TrialRecord>,
}

impl Lines<'_> {
    /// Every parameter, the most important first.
    pub(super) fn all(&self) -> Result<Vec<Sensitivity>, TuneError> {
        let mut all = Vec::with_capacity(self.plan.space.len());
        let current = self.plan.space.values_of(&self.plan.current)?;
        for (at, parameter) in self.plan.space.parameters().iter().enumerate() {
            let best = self.best.get(at).copied().unwrap_or(0.5);
            all.push(Sensitivity {
                parameter: parameter.key.clone(),
                description: parameter.description.clone(),
                default: parameter_value(current.get(&parameter.key).unwrap_or(&parameter.default)),
                best: parameter_value(&parameter.value(best)),
                importance: self.importance(at),
                points: self.points(at, parameter)?,
            });
        }
        all.sort_by(|a, b| b.importance.total_cmp(&a.importance));
        Ok(all)
    }

    fn points(&self, at: usize, parameter: &Parameter) -> Result<Vec<SensitivityPoint>, TuneError> {
        let count = parameter.choices().unwrap_or(VALUES);
        let mut points: Vec<SensitivityPoint> = Vec::with_capacity(count);
        for step in 0..count {
            let place = match parameter.choices() {
                Some(choices) => (step as f64 + 0.5) / choices as f64,
                None => step as f64 / (count - 1).max(1) as f64,
            };
            let value = parameter_value(&parameter.value(place));
            if points.iter().all(|known| known.value != value) {
                points.push(self.point(at, place, value)?);
            }
        }
        Ok(points)
    }

    fn point(
        &self,
        at: usize,
        place: f64,
        value: crate::ParameterValue,
    ) -> Result<SensitivityPoint, TuneError> {
        let mut point = self.best.to_vec();
        if let Some(slot) = point.get_mut(at) {
            *slot = place;
        }
        let values = self.plan.space.values_at(&point);
        let settings = SearchSpace::assign(&self.plan.current, &values)?;
        let measures = self.subject.measure(&settings, &self.split.searched)?;
        let column = column(&measures, self.plan.metric);
        Ok(SensitivityPoint {
            value,
            objective: mean(&column),
            interval: Some(confidence_interval(&column, self.plan.seed)),
        })
    }

    /// The correlation ratio η²: the variance between parts of the parameter's range over the whole
    /// variance of the trials.
    fn importance(&self, at: usize) -> f64 {
        let qualities: Vec<f64> = self.trials.iter().map(|trial| trial.quality).collect();
        let all = mean(&qualities);
        let whole: f64 = qualities
            .iter()
            .map(|quality| (quality - all).powi(2))
            .sum();
        let mut bins: [Vec<f64>; BINS] = Default::default();
        for trial in &self.trials {
            let place = trial.place.get(at).copied().unwrap_or_default();
            let bin = ((place * BINS as f64) as usize).min(BINS - 1);
            if let Some(bin) = bins.get_mut(bin) {
                bin.push(trial.quality);
            }
        }
        let between: f64 = bins
            .iter()
            .map(|bin| bin.len() as f64 * (mean(bin) - all).powi(2))
            .filter(|part| part.is_finite())
            .sum();
        if whole > 0.0 { between / whole } else { 0.0 }
    }
}
