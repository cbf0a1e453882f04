//! Whether the best setting is better than the one in force, on cases that the search never saw.

use super::changes::Change;
use super::record::column;
use super::{TuningPlan, TuningSubject};
use crate::space::TunableSettings;
use crate::{
    Comparison, ComparisonRow, Decision, Direction, ParameterValue, SettingChange, TuneError,
    Verdict,
};

/// The level below which a difference is taken for real.
const LEVEL: f64 = 0.05;

/// Compares two settings on the cases at these places, a row for each of the subject's metrics.
///
/// # Errors
/// [`TuneError`] when the cases cannot be measured.
pub fn compare_settings(
    subject: &dyn TuningSubject,
    [proposed, current]: [&TunableSettings; 2],
    places: &[usize],
    part: &str,
    seed: u64,
) -> Result<Vec<ComparisonRow>, TuneError> {
    let own = subject.measure(proposed, places)?;
    let other = subject.measure(current, places)?;
    let rows = subject.metrics().iter().enumerate().map(|(metric, name)| {
        let (own, other) = (column(&own, metric), column(&other, metric));
        let compared = Comparison::new("current", name, &own, &other, seed);
        ComparisonRow {
            data: format!("{}, {}, {part}", subject.suite(), subject.data()),
            system: "proposed".to_owned(),
            baseline: "current".to_owned(),
            metric: (*name).to_owned(),
            direction: Direction::Maximise,
            questions: places.len(),
            value: crate::report::rounded_mean(&own),
            baseline_value: compared.other,
            difference: compared.difference,
            interval: compared.interval,
            p: compared.p,
        }
    });
    Ok(rows.collect())
}

/// Whether a row shows a gain with 95% confidence: by the interval and by the test, which is the
/// stricter one on few cases.
pub(super) fn is_better(row: &ComparisonRow) -> bool {
    row.interval[0] > 0.0 && row.p < LEVEL
}

/// The verdict when nothing is left to try on the unseen part.
pub(super) fn nothing(reason: String) -> Verdict {
    Verdict {
        decision: Decision::Unchanged,
        reason,
        changes: Vec::new(),
    }
}

/// The verdict by the deciding row of the unseen part.
pub(super) fn decide(row: &ComparisonRow, plan: &TuningPlan, changes: &[Change]) -> Verdict {
    let figures = format!(
        "{} {:.4} against {:.4}, a difference of {:+.4} (95% {:+.4} to {:+.4}, p {:.4}) on {} \
         cases that the search never saw",
        row.metric,
        row.value,
        row.baseline_value,
        row.difference,
        row.interval[0],
        row.interval[1],
        row.p,
        row.questions
    );
    if !is_better(row) {
        return nothing(format!(
            "No setting beats the current one with 95% confidence: {figures}."
        ));
    }
    let trials = plan.trials;
    Verdict {
        decision: Decision::Proposed,
        reason: format!("The best of {trials} settings beats the current one: {figures}."),
        changes: changes
            .iter()
            .map(|change| setting_change(change, &row.metric))
            .collect(),
    }
}

fn setting_change(change: &Change, metric: &str) -> SettingChange {
    let [low, high] = change.interval;
    SettingChange {
        key: change.key.clone(),
        from: parameter_value(&change.from),
        to: parameter_value(&change.to),
        evidence: format!(
            "without it {metric} falls by {:.4} (95% {low:.4} to {high:.4}) on the searched cases",
            change.loss
        ),
    }
}

/// A value of the settings as reports show it.
pub fn parameter_value(value: &serde_json::Value) -> ParameterValue {
    match value {
        serde_json::Value::Bool(flag) => ParameterValue::Flag(*flag),
        serde_json::Value::String(text) => ParameterValue::Text(text.clone()),
        value => match (value.as_i64(), value.as_f64()) {
            (Some(whole), _) => ParameterValue::Integer(whole),
            (None, Some(number)) => ParameterValue::Number(number),
            (None, None) => ParameterValue::Text(value.to_string()),
        },
    }
}
