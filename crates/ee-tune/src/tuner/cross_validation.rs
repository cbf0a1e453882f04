//! What choosing the best trial is worth, before anything unseen is looked at.

use super::TrialRecord;

/// The mean gain over the first trial of the trial that is best on all other folds, in the fold
/// left out: what the choice gains on cases that did not take part in it.
pub(super) fn cross_validated_gain(records: &[TrialRecord], top: usize) -> f64 {
    let whole: Vec<&TrialRecord> = records.iter().filter(|one| one.rung == top).collect();
    let Some(current) = whole.first() else {
        return 0.0;
    };
    let (mut gained, mut cases) = (0.0, 0);
    for fold in 0..current.folds.len() {
        let chosen = whole.iter().max_by(|a, b| {
            let better = without(a, fold).total_cmp(&without(b, fold));
            better.then(b.number.cmp(&a.number))
        });
        let Some((now, count)) = current.folds.get(fold) else {
            continue;
        };
        let then = chosen.and_then(|chosen| chosen.folds.get(fold));
        gained += (then.map_or(*now, |(mean, _)| *mean) - now) * *count as f64;
        cases += count;
    }
    gained / cases.max(1) as f64
}

/// The mean over all folds but one.
fn without(record: &TrialRecord, fold: usize) -> f64 {
    let others = record
        .folds
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != fold);
    let (sum, count) = others.fold((0.0, 0), |(sum, count), (_, (mean, cases))| {
        (sum + mean * *cases as f64, count + cases)
    });
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{TrialRecord, cross_validated_gain};

    fn record(number: usize, means: [f64; 2]) -> TrialRecord {
        TrialRecord {
            number,
            origin: String::new(),
            place: Vec::new(),
            rung: 0,
            cases: 20,
            quality: f64::midpoint(means[0], means[1]),
            interval: [0.0, 0.0],
            folds: means.map(|mean| (mean, 10)).into(),
            tokens: None,
            milliseconds: None,
            seconds: 0.0,
        }
    }

    #[test]
    fn what_is_good_in_one_fold_only_gains_nothing() {
        // Left out fold 0: trial 2 is best in fold 1 and gives 0.1; left out fold 1: trial 1, 0.1.
        let lucky = [
            record(0, [0.5, 0.5]),
            record(1, [0.9, 0.1]),
            record(2, [0.1, 0.9]),
        ];
        assert!((cross_validated_gain(&lucky, 0) + 0.4).abs() < 1e-12);
        let steady = [record(0, [0.5, 0.5]), record(1, [0.7, 0.6])];
        assert!((cross_validated_gain(&steady, 0) - 0.15).abs() < 1e-12);
        assert!(cross_validated_gain(&[], 0).abs() < 1e-12);
    }
}
