//! Two runs on the questions that both have rows for.

use std::collections::{BTreeMap, BTreeSet};

use super::metric::{direction_of, main_metric};
use crate::bootstrap::mean;
use crate::{CaseRow, ComparisonRow, PairedDifference, QaScore, RunRows, TuneError};

/// How runs are compared.
#[derive(Debug, Clone, Copy)]
pub struct RunComparison<'a> {
    /// Only these metrics; all that both runs have when empty.
    pub metrics: &'a [String],
    /// A score of answers, beside the metrics.
    pub score: Option<QaScore>,
    /// Seed of the bootstrap and the randomisation test.
    pub seed: u64,
}

/// Compares a run with a baseline, metric by metric, over the questions that both have rows for.
/// Means are over questions, which for pooled metrics (the F1 of elections) is not what the suite
/// itself prints.
///
/// # Errors
/// [`TuneError::NotComparable`] when the runs measured another suite or other data, or share no
/// question or no metric asked for.
pub fn compare_runs(
    system: (&str, &RunRows),
    baseline: (&str, &RunRows),
    how: RunComparison<'_>,
) -> Result<Vec<ComparisonRow>, TuneError> {
    let ((name, run), (baseline_name, base)) = (system, baseline);
    check(run, base)?;
    let known: BTreeMap<&str, &CaseRow> =
        base.rows.iter().map(|row| (row.id.as_str(), row)).collect();
    let pairs: Vec<(&CaseRow, &CaseRow)> = run
        .rows
        .iter()
        .filter_map(|row| Some((row, *known.get(row.id.as_str())?)))
        .collect();
    let mut rows = Vec::new();
    for metric in wanted(&run.header.suite, &pairs, how) {
        let values = pairs.iter().filter_map(|(own, other)| {
            Some((value(own, &metric, how)?, value(other, &metric, how)?))
        });
        let (own, other): (Vec<f64>, Vec<f64>) = values.unzip();
        if own.is_empty() {
            continue;
        }
        let paired = PairedDifference::new(&own, &other, how.seed);
        rows.push(ComparisonRow {
            data: format!("{}, {}", run.header.suite, run.header.data),
            system: name.to_owned(),
            baseline: baseline_name.to_owned(),
            direction: direction_of(&metric),
            metric,
            questions: own.len(),
            value: mean(&own),
            baseline_value: mean(&other),
            difference: paired.difference,
            interval: paired.interval,
            p: paired.p,
        });
    }
    if rows.is_empty() {
        let what = "they share no question with a metric that is asked for".to_owned();
        return Err(TuneError::NotComparable { what });
    }
    Ok(rows)
}

fn check(run: &RunRows, base: &RunRows) -> Result<(), TuneError> {
    let (own, other) = (&run.header, &base.header);
    let mut pairs = [
        ("suite", &own.suite, &other.suite),
        ("dataset", &own.data, &other.data),
    ]
    .into_iter();
    if let Some((what, own, other)) = pairs.find(|(_, own, other)| own != other) {
        let what = format!("their {what} differs, {own} and {other}");
        return Err(TuneError::NotComparable { what });
    }
    if own.files != other.files {
        let what = format!("{} was changed between them", own.data);
        return Err(TuneError::NotComparable { what });
    }
    Ok(())
}

/// The score and the metric that decides first, then the others that are asked for and the costs
/// that differ from 0.
fn wanted(suite: &str, pairs: &[(&CaseRow, &CaseRow)], how: RunComparison<'_>) -> Vec<String> {
    let mut wanted: Vec<String> = how.score.iter().map(QaScore::name).collect();
    if !how.metrics.is_empty() {
        wanted.extend(how.metrics.iter().cloned());
        return wanted;
    }
    let rows = pairs.iter().flat_map(|(own, other)| [*own, *other]);
    let metrics: BTreeSet<&String> = rows.clone().flat_map(|row| row.metrics.keys()).collect();
    let (main, others): (Vec<_>, Vec<_>) = metrics
        .into_iter()
        .cloned()
        .partition(|metric| main_metric(suite) == Some(metric));
    wanted.extend(main.into_iter().chain(others));
    let costs: Vec<_> = rows.map(|row| row.cost.named()).collect();
    let spent = costs.iter().flatten().filter(|(_, value)| *value > 0.0);
    let spent: BTreeSet<&str> = spent.map(|(name, _)| *name).collect();
    wanted.extend(spent.into_iter().map(str::to_owned));
    wanted
}

/// A metric, a score or a cost of one question.
fn value(row: &CaseRow, metric: &str, how: RunComparison<'_>) -> Option<f64> {
    if let Some(score) = how.score.filter(|score| score.name() == metric) {
        return score.of(&row.metrics);
    }
    let cost = || {
        let named = row.cost.named();
        named.into_iter().find(|(name, _)| *name == metric)
    };
    let known = row.metrics.get(metric).copied();
    known.or_else(|| cost().map(|(_, value)| value))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "sums of halves are exact")]
mod tests {
    use serde_json::json;

    use super::{RunComparison, compare_runs};
    use crate::{CaseCost, CaseRow, Direction, QaScore, RowHeader, RunRows, Setup, TuneError};

    fn run(data: &str, scores: &[(&str, f64, u64)]) -> RunRows {
        let setup = Setup {
            system: "s".to_owned(),
            seed: 1,
            settings: json!({}),
            model: "m".to_owned(),
        };
        let row = |(id, correct, sent): &(&str, f64, u64)| CaseRow {
            id: (*id).to_owned(),
            metrics: [
                ("correct", *correct),
                ("possibly_correct", 0.0),
                ("wrong", 1.0 - correct),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            cost: CaseCost {
                sent_tokens: *sent,
                ..CaseCost::default()
            },
            ..CaseRow::default()
        };
        let header = RowHeader::new("qa", data, Vec::new(), &setup);
        RunRows::new(header, scores.iter().map(row).collect())
    }

    fn how(metrics: &[String], score: Option<QaScore>) -> RunComparison<'_> {
        RunComparison {
            metrics,
            score,
            seed: 1,
        }
    }

    #[test]
    fn only_questions_of_both_count_and_costs_are_compared() {
        let own = run(
            "d",
            &[("a", 1.0, 30), ("b", 1.0, 10), ("only here", 0.0, 0)],
        );
        let base = run(
            "d",
            &[("b", 0.0, 20), ("a", 1.0, 20), ("only there", 1.0, 0)],
        );
        let score = QaScore::Composite { wrong_penalty: 1.0 };
        let rows = compare_runs(("own", &own), ("base", &base), how(&[], Some(score))).unwrap();
        let row = |metric: &str| rows.iter().find(|row| row.metric == metric).unwrap();
        assert_eq!(
            (row("correct").questions, row("correct").difference),
            (2, 0.5)
        );
        assert_eq!(
            (
                row(&score.name()).difference,
                row(&score.name()).baseline_value
            ),
            (1.0, 0.0)
        );
        assert_eq!(
            (row("sent_tokens").value, row("sent_tokens").difference),
            (20.0, 0.0)
        );
        assert_eq!(row("sent_tokens").direction, Direction::Minimise);
        assert!(rows.iter().all(|row| row.metric != "calls"));
    }

    #[test]
    fn runs_over_other_data_or_without_common_questions_are_refused() {
        let own = run("d", &[("a", 1.0, 1)]);
        for other in [run("e", &[("a", 1.0, 1)]), run("d", &[("b", 1.0, 1)])] {
            let refused = compare_runs(("own", &own), ("base", &other), how(&[], None));
            assert!(
                matches!(refused, Err(TuneError::NotComparable { .. })),
                "{refused:?}"
            );
        }
        let asked = ["recall".to_owned()];
        let refused = compare_runs(("own", &own), ("base", &own), how(&asked, None));
        assert!(matches!(refused, Err(TuneError::NotComparable { .. })));
    }
}
