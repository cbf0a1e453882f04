//! Calibrating the precision pipeline: blend and τ(ε) from one half of the questions, judged on the
//! other.

use std::collections::BTreeMap;

use super::precise_subject::CONTEXT_HIT;
use super::verdict::is_better;
use super::{PreciseTuning, Split, TuningSubject, compare_settings, metric_named};
use crate::space::TunableSettings;
use crate::{
    ComparisonRow, Decision, Direction, Objective, ObjectiveRole, ParameterValue, Reproducibility,
    SettingChange, TuneError, TuningReport, Verdict, fit,
};

/// What a calibration came to.
#[derive(Debug, Clone)]
pub struct Calibrated {
    /// The settings in force with the blend and the calibration that were fitted.
    pub fitted: TunableSettings,
    /// The report; what makes it reproducible is filled in by the caller.
    pub report: TuningReport,
}

/// Fits blend and calibration on the searched half of the questions. They are proposed when on the
/// other half their contexts miss no more often than ε allows, and either rank better with 95%
/// confidence, or the contexts in force do miss more often.
///
/// # Errors
/// [`TuneError::NothingSelected`] for fewer than two questions.
pub fn calibrate(
    subject: &PreciseTuning,
    current: &TunableSettings,
    seed: u64,
) -> Result<Calibrated, TuneError> {
    let split = Split::of(subject.cases());
    if split.unseen.is_empty() {
        let data = subject.data().to_owned();
        return Err(TuneError::NothingSelected {
            what: "half of the questions".to_owned(),
            data,
        });
    }
    let learned = fit(&subject.labelled(&split.searched));
    let mut fitted = current.clone();
    fitted.precise.blend = learned.blend;
    fitted.precise.minimum.calibration = learned.minimum.calibration;
    let pair = [&fitted, current];
    let comparisons = compare_settings(subject, pair, &split.unseen, "unseen part", seed)?;
    let hit = metric_named(subject, CONTEXT_HIT)?;
    let verdict = match (comparisons.first(), comparisons.get(hit)) {
        (Some(ranking), Some(hit)) => {
            let epsilon = current.precise.minimum.epsilon;
            Judged {
                ranking,
                hit,
                epsilon,
                searched: split.searched.len(),
            }
            .verdict()
        }
        _ => super::verdict::nothing("Nothing was measured.".to_owned()),
    };
    let report = TuningReport {
        title: format!("Calibrating the precision pipeline on {}", subject.data()),
        verdict,
        comparisons,
        objectives: vec![Objective {
            name: "ndcg@10".to_owned(),
            role: ObjectiveRole::Quality,
            direction: Direction::Maximise,
            unit: String::new(),
        }],
        trials: Vec::new(),
        pareto_front: Vec::new(),
        sensitivity: Vec::new(),
        worst_questions: Vec::new(),
        reproducibility: Reproducibility {
            seeds: BTreeMap::from([("intervals".to_owned(), seed)]),
            ..Reproducibility::default()
        },
    };
    Ok(Calibrated { fitted, report })
}

/// What the unseen half showed.
struct Judged<'a> {
    ranking: &'a ComparisonRow,
    hit: &'a ComparisonRow,
    epsilon: f64,
    searched: usize,
}

impl Judged<'_> {
    fn verdict(&self) -> Verdict {
        let (misses, before) = (1.0 - self.hit.value, 1.0 - self.hit.baseline_value);
        let limit = self.limit();
        let better = is_better(self.ranking);
        let proposed = misses <= limit && (better || before > limit);
        let row = self.ranking;
        let reason = format!(
            "Fitted on {} questions and judged on {} others, {} is {:.4} against {:.4}, a \
             difference of {:+.4} (95% {:+.4} to {:+.4}, p {:.4}); at an epsilon of {} contexts \
             miss {misses:.4} against {before:.4}, and may miss {limit:.4}.",
            self.searched,
            row.questions,
            row.metric,
            row.value,
            row.baseline_value,
            row.difference,
            row.interval[0],
            row.interval[1],
            row.p,
            self.epsilon,
        );
        let changes = ["precise.blend", "precise.minimum.calibration"].map(|key| SettingChange {
            key: key.to_owned(),
            from: ParameterValue::Text("as in force".to_owned()),
            to: ParameterValue::Text(format!("fitted on {} questions", self.searched)),
            evidence: reason.clone(),
        });
        Verdict {
            decision: if proposed {
                Decision::Proposed
            } else {
                Decision::Unchanged
            },
            changes: if proposed { changes.into() } else { Vec::new() },
            reason,
        }
    }

    /// ε and two standard errors of a rate of ε over as many questions.
    fn limit(&self) -> f64 {
        let (epsilon, questions) = (self.epsilon, self.hit.questions.max(1) as f64);
        epsilon + 2.0 * (epsilon * (1.0 - epsilon) / questions).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::Judged;
    use crate::{ComparisonRow, Decision, Direction};

    fn row(difference: f64, p: f64, hits: [f64; 2]) -> ComparisonRow {
        ComparisonRow {
            data: String::new(),
            system: String::new(),
            baseline: String::new(),
            metric: "m".to_owned(),
            direction: Direction::Maximise,
            questions: 100,
            value: hits[0],
            baseline_value: hits[1],
            difference,
            interval: [difference - 0.01, difference + 0.01],
            p,
        }
    }

    /// At an ε of 0.1 and 100 questions contexts may miss 0.16.
    #[test]
    fn a_broken_promise_is_mended_and_a_kept_one_needs_a_better_ranking() {
        let decide = |ranking: &ComparisonRow, hit: &ComparisonRow| {
            Judged {
                ranking,
                hit,
                epsilon: 0.1,
                searched: 100,
            }
            .verdict()
            .decision
        };
        let (better, alike) = (row(0.02, 0.01, [0.0; 2]), row(0.0, 0.9, [0.0; 2]));
        let (kept, mended) = (row(0.0, 1.0, [0.9, 0.9]), row(0.1, 0.0, [0.9, 0.8]));
        let broken = row(-0.1, 0.0, [0.8, 0.9]);
        assert_eq!(decide(&better, &kept), Decision::Proposed);
        assert_eq!(decide(&alike, &kept), Decision::Unchanged);
        assert_eq!(decide(&alike, &mended), Decision::Proposed);
        assert_eq!(decide(&better, &broken), Decision::Unchanged);
    }
}
