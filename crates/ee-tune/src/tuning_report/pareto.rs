//! Trials that no other one beats in everything.

use super::{Direction, Objective, Trial, TrialOutcome};

/// Numbers of the finished trials of which no other finished one is at least as good in every
/// objective and better in one. Trials that lack an objective are left out. Quadratic in the
/// number of trials.
pub fn pareto_front(trials: &[Trial], objectives: &[Objective]) -> Vec<usize> {
    let finished = trials
        .iter()
        .filter(|trial| trial.outcome == TrialOutcome::Finished);
    let valued: Vec<(usize, Vec<f64>)> = finished
        .filter_map(|trial| Some((trial.number, gains(trial, objectives)?)))
        .collect();
    let beaten = |own: &[f64]| valued.iter().any(|(_, other)| dominates(other, own));
    let front = valued.iter().filter(|(_, own)| !beaten(own));
    front.map(|(number, _)| *number).collect()
}

/// The objectives, turned so that more is better.
fn gains(trial: &Trial, objectives: &[Objective]) -> Option<Vec<f64>> {
    let gain = |objective: &Objective| {
        let value = trial.objectives.get(&objective.name)?;
        Some(match objective.direction {
            Direction::Maximise => *value,
            Direction::Minimise => -value,
        })
    };
    objectives.iter().map(gain).collect()
}

fn dominates(own: &[f64], other: &[f64]) -> bool {
    let pairs = || own.iter().zip(other);
    pairs().all(|(own, other)| own >= other) && pairs().any(|(own, other)| own > other)
}

#[cfg(test)]
mod tests {
    use super::pareto_front;
    use crate::{Direction, Objective, ObjectiveRole, Trial, TrialOutcome};

    fn objective(name: &str, direction: Direction) -> Objective {
        Objective {
            name: name.to_owned(),
            role: ObjectiveRole::Quality,
            direction,
            unit: String::new(),
        }
    }

    fn trial(number: usize, quality: f64, tokens: f64, outcome: TrialOutcome) -> Trial {
        Trial {
            number,
            origin: String::new(),
            parameters: [].into(),
            outcome,
            questions: 1,
            objectives: [("q".to_owned(), quality), ("t".to_owned(), tokens)].into(),
            intervals: [].into(),
            seconds: 0.0,
        }
    }

    #[test]
    fn beaten_and_unfinished_trials_are_not_on_the_front() {
        let objectives = [
            objective("q", Direction::Maximise),
            objective("t", Direction::Minimise),
        ];
        let trials = [
            trial(0, 0.9, 100.0, TrialOutcome::Finished),
            trial(1, 0.9, 120.0, TrialOutcome::Finished),
            trial(2, 0.5, 10.0, TrialOutcome::Finished),
            trial(3, 1.0, 1.0, TrialOutcome::Stopped),
            trial(4, 0.9, 100.0, TrialOutcome::Finished),
        ];
        assert_eq!(pareto_front(&trials, &objectives), [0, 2, 4]);
    }
}
