//! As few changes as the best setting needs, each with what speaks for it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::record::column;
use super::{Split, TuningPlan, TuningSubject};
use crate::bootstrap::mean;
use crate::space::{SearchSpace, TunableSettings};
use crate::{Interval, TuneError, confidence_interval};

/// A change that gains less than this on average is not worth a line.
const LEAST_GAIN: f64 = 0.0005;

/// A setting that the proposal changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    pub(super) key: String,
    pub(super) from: Value,
    pub(super) to: Value,
    /// What the deciding metric loses on the searched cases without it, with its interval.
    pub(super) loss: f64,
    pub(super) interval: Interval,
}

/// Takes back what does not help.
pub(super) struct Pruner<'a> {
    pub(super) subject: &'a dyn TuningSubject,
    pub(super) plan: &'a TuningPlan,
    pub(super) split: &'a Split,
}

type Values = BTreeMap<String, Value>;

/// Settings that are taken back together, the mean loss without them, and the metric without them.
type Loss = (Vec<String>, f64, Vec<f64>);

impl Pruner<'_> {
    /// The changes that remain of the values at the best point. Takes back the least useful change
    /// as long as the metric does not suffer; parts of a whole go together.
    pub(super) fn prune(&self, best: &[f64]) -> Result<Vec<Change>, TuneError> {
        let current = self.plan.space.values_of(&self.plan.current)?;
        let mut values = self.plan.space.values_at(best);
        values.retain(|key, value| current.get(key) != Some(value));
        let mut whole = self.column(&values)?;
        loop {
            let losses = self.losses(&values, &whole)?;
            let least = losses.iter().min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((group, _, without)) = least.filter(|(_, loss, _)| *loss < LEAST_GAIN) else {
                return Ok(self.changes(&values, &current, &losses, &whole));
            };
            values.retain(|key, _| !group.contains(key));
            whole.clone_from(without);
        }
    }

    /// What taking back each group of changes costs.
    fn losses(&self, values: &Values, whole: &[f64]) -> Result<Vec<Loss>, TuneError> {
        let mut losses = Vec::new();
        for group in self.groups(values) {
            let mut others = values.clone();
            others.retain(|key, _| !group.contains(key));
            let column = self.column(&others)?;
            losses.push((group, mean(whole) - mean(&column), column));
        }
        Ok(losses)
    }

    fn groups(&self, values: &Values) -> Vec<Vec<String>> {
        let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for parameter in self.plan.space.parameters() {
            if values.contains_key(&parameter.key) {
                let name = parameter.whole_of_parts().unwrap_or(&parameter.key);
                groups.entry(name).or_default().push(parameter.key.clone());
            }
        }
        groups.into_values().collect()
    }

    fn column(&self, values: &Values) -> Result<Vec<f64>, TuneError> {
        let settings = SearchSpace::assign(&self.plan.current, values)?;
        let measures = self.subject.measure(&settings, &self.split.searched)?;
        Ok(column(&measures, self.plan.metric))
    }

    fn changes(
        &self,
        values: &Values,
        current: &Values,
        losses: &[Loss],
        whole: &[f64],
    ) -> Vec<Change> {
        let mut changes = Vec::new();
        for (group, loss, without) in losses {
            let differences: Vec<f64> = whole.iter().zip(without).map(|(a, b)| a - b).collect();
            let interval = confidence_interval(&differences, self.plan.seed);
            changes.extend(group.iter().map(|key| Change {
                key: key.clone(),
                from: current.get(key).cloned().unwrap_or_default(),
                to: values.get(key).cloned().unwrap_or_default(),
                loss: *loss,
                interval,
            }));
        }
        changes
    }
}

/// The settings in force with the changes.
pub(super) fn changed(
    current: &TunableSettings,
    changes: &[Change],
) -> Result<TunableSettings, TuneError> {
    let values = changes
        .iter()
        .map(|change| (change.key.clone(), change.to.clone()));
    Ok(SearchSpace::assign(current, &values.collect())?)
}
