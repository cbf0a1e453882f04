//! What the settings in which runs differ do to the metric that decides.

use std::collections::{BTreeMap, BTreeSet};

use crate::bootstrap::mean;
use crate::{ParameterValue, Sensitivity, SensitivityPoint, Trial};

/// The deciding metric by each value of each setting that differs, averaged over the runs that
/// have the value; the share of the variance between runs that lies between the values.
pub(super) fn sensitivity(
    trials: &[Trial],
    best: Option<usize>,
    quality: &str,
) -> Vec<Sensitivity> {
    let keys: BTreeSet<&String> = trials
        .iter()
        .flat_map(|one| one.parameters.keys())
        .collect();
    let value = |trial: &Trial| trial.objectives.get(quality).copied().unwrap_or_default();
    let all: Vec<f64> = trials.iter().map(value).collect();
    let mut found: Vec<Sensitivity> = keys
        .into_iter()
        .filter_map(|key| {
            let mut groups: BTreeMap<String, (ParameterValue, Vec<f64>)> = BTreeMap::new();
            for trial in trials {
                let parameter = trial.parameters.get(key)?;
                let group = groups.entry(sort_key(parameter));
                let group = group.or_insert_with(|| (parameter.clone(), Vec::new()));
                group.1.push(value(trial));
            }
            let at = |place: Option<usize>| trials.get(place?)?.parameters.get(key).cloned();
            Some(Sensitivity {
                parameter: key.clone(),
                description: String::new(),
                default: at(Some(0))?,
                best: at(best)?,
                importance: between_groups(&all, groups.values().map(|(_, values)| values)),
                points: groups.into_values().map(point).collect(),
            })
        })
        .collect();
    found.sort_by(|a, b| b.importance.total_cmp(&a.importance));
    found
}

fn point((value, values): (ParameterValue, Vec<f64>)) -> SensitivityPoint {
    SensitivityPoint {
        value,
        objective: mean(&values),
        interval: None,
    }
}

/// Numbers before words, each in their order.
fn sort_key(value: &ParameterValue) -> String {
    match value.as_f64() {
        // The bits of numbers from 0 on sort as the numbers do.
        Some(number) => format!("0{:016x}", number.max(0.0).to_bits()),
        None => format!("1{value}"),
    }
}

/// Variance between groups over the whole variance (eta squared); 0 where nothing varies.
fn between_groups<'a>(all: &[f64], groups: impl Iterator<Item = &'a Vec<f64>>) -> f64 {
    let centre = mean(all);
    let whole: f64 = all.iter().map(|value| (value - centre).powi(2)).sum();
    let between: f64 = groups
        .map(|values| values.len() as f64 * (mean(values) - centre).powi(2))
        .sum();
    if whole > 0.0 { between / whole } else { 0.0 }
}
