//! τ(ε) from labelled questions, and what a minimum context does on others.

use ee_pipeline::{BlendConfig, CalibrationPoint, MinimumConfig};
use serde::Serialize;

use super::{Labelled, fit_blend, fold_by};

/// The values of ε for which reports show what minimum contexts do.
const EPSILONS_SHOWN: [f64; 3] = [0.05, 0.1, 0.2];

/// Into how many parts questions are divided for calibrating.
const PARTS: usize = 5;

/// The values of ε that a calibration covers.
const EPSILONS: [f64; 8] = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4];

/// The largest τ for each ε that keeps the expected miss rate of a new question at ε: with `n`
/// questions, `m` of which are missed, `(m + 1) / (n + 1) ≤ ε` (conformal risk control,
/// Angelopoulos et al., ICLR 2024). An ε that no τ reaches is left out.
///
/// `gains` has for each question the gain of its first relevant candidate, which is in the context
/// as long as τ is not above it; absent where no candidate is relevant.
fn calibrate(gains: &[Option<f64>]) -> Vec<CalibrationPoint> {
    let mut gains: Vec<f64> = gains.iter().map(|gain| gain.unwrap_or(-1.0)).collect();
    gains.sort_by(f64::total_cmp);
    let questions = gains.len() as f64;
    let point = |epsilon: f64| {
        let misses = (epsilon * (questions + 1.0) - 1.0).floor();
        // All but `misses` questions keep their gain at or above τ.
        let tau = gains.get(misses as usize).copied()?;
        (misses >= 0.0 && tau >= 0.0).then_some(CalibrationPoint { epsilon, tau })
    };
    EPSILONS.into_iter().filter_map(point).collect()
}

impl Labelled {
    /// The gain of the first relevant candidate: its probability times the chances of all before
    /// it to be irrelevant. Absent where no candidate is relevant.
    fn gain(&self, blend: &BlendConfig) -> Option<f64> {
        let mut miss = 1.0;
        for (place, probability) in self.ranked(blend) {
            let probability = f64::from(probability);
            if self.relevant.get(place) == Some(&true) {
                return Some(miss * probability);
            }
            miss *= 1.0 - probability;
        }
        None
    }

    /// What the context of each shown ε comes to.
    fn decide(&self, fitted: &Fitted) -> [Decided; EPSILONS_SHOWN.len()] {
        let ranked = self.ranked(&fitted.blend);
        let probabilities: Vec<f32> = ranked.iter().map(|(_, one)| *one).collect();
        let hit = |(place, _): &(usize, f32)| self.relevant.get(*place) == Some(&true);
        let first = ranked.iter().position(hit);
        EPSILONS_SHOWN.map(|epsilon| {
            let calibration = fitted.minimum.calibration.clone();
            let minimum = MinimumConfig {
                epsilon,
                calibration,
            };
            let context = minimum.decide(&probabilities);
            Decided {
                units: context.units,
                feasible: context.tau.is_some(),
                first,
            }
        })
    }
}

/// A blend with the calibration that goes with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The blend.
    pub blend: BlendConfig,
    /// The calibration.
    pub minimum: MinimumConfig,
}

/// What a context came to.
struct Decided {
    units: usize,
    feasible: bool,
    /// The place of the first relevant candidate in the ranking, from 0.
    first: Option<usize>,
}

impl Decided {
    fn misses(&self) -> bool {
        self.first.is_none_or(|first| first >= self.units)
    }
}

/// Fits the blend, and calibrates it on probabilities that each question did not help to fit: the
/// questions are divided into five parts, each judged by a blend of the other four.
pub fn fit(questions: &[&Labelled]) -> Fitted {
    let parts: Vec<usize> = (0..questions.len()).map(|place| place % PARTS).collect();
    let gains = fold_by(questions, &parts, fit_blend, |blend, question| {
        question.gain(blend)
    });
    Fitted {
        blend: fit_blend(questions),
        minimum: MinimumConfig {
            calibration: calibrate(&gains),
            ..MinimumConfig::default()
        },
    }
}

/// What minimum contexts of one ε did on questions that they were not calibrated on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MinimumScore {
    /// ε.
    pub epsilon: f64,
    /// The share of questions for which ε was feasible.
    pub feasible: f64,
    /// The share of questions whose context holds no relevant unit.
    pub miss_rate: f64,
    /// ε and two standard errors of a rate of ε over as many questions: what the miss rate stays
    /// below while the guarantee holds.
    pub miss_limit: f64,
    /// Mean number of units in a context.
    pub mean_units: f64,
    /// The smallest fixed number of units of the same ranking that misses as rarely; absent when
    /// no number of the candidates does.
    pub fixed_units: Option<usize>,
}

/// Measures minimum contexts of every shown ε: each group of questions under what was fitted on
/// the others.
pub(crate) fn score_minimum<G: PartialEq>(
    questions: &[&Labelled],
    groups: &[G],
) -> Vec<MinimumScore> {
    let decided = fold_by(questions, groups, fit, |fitted, one| one.decide(fitted));
    let longest = questions.iter().map(|one| one.relevant.len()).max();
    let scored = EPSILONS_SHOWN
        .into_iter()
        .enumerate()
        .map(|(place, epsilon)| {
            let decided = decided.iter().filter_map(|contexts| contexts.get(place));
            score(
                &decided.collect::<Vec<_>>(),
                epsilon,
                longest.unwrap_or_default(),
            )
        });
    scored.collect()
}

fn score(decided: &[&Decided], epsilon: f64, longest: usize) -> MinimumScore {
    let questions = decided.len().max(1) as f64;
    let missed = decided.iter().filter(|one| one.misses()).count();
    let units: usize = decided.iter().map(|one| one.units).sum();
    let missed_at = |units: &usize| {
        let beyond = |one: &&&Decided| one.first.is_none_or(|first| first >= *units);
        decided.iter().filter(beyond).count()
    };
    MinimumScore {
        epsilon,
        feasible: decided.iter().filter(|one| one.feasible).count() as f64 / questions,
        miss_rate: missed as f64 / questions,
        miss_limit: epsilon + 2.0 * (epsilon * (1.0 - epsilon) / questions).sqrt(),
        mean_units: units as f64 / questions,
        fixed_units: (1..=longest).find(|units| missed_at(units) <= missed),
    }
}

#[cfg(test)]
mod tests {
    use ee_pipeline::BlendEvidence;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn tau_agrees_with_hand_calculation() {
        // Ten questions: 0.1 to 1.0. With ε 0.3 two may be missed: τ is the third.
        let gains: Vec<Option<f64>> = (1..=10).map(|at| Some(f64::from(at) / 10.0)).collect();
        let points = calibrate(&gains);
        let at = |epsilon: f64| points.iter().find(|point| point.epsilon >= epsilon);
        assert!(at(0.3).is_some_and(|point| (point.tau - 0.3).abs() < 1e-9));
        // (0 + 1) / 11 is above 0.05: nothing reaches it.
        assert!(points.iter().all(|point| point.epsilon > 0.05));
        let hopeless = [None, None, Some(1.0), Some(1.0)];
        assert!(calibrate(&hopeless).iter().all(|point| point.epsilon > 0.5));
    }

    /// Questions whose one relevant candidate tends to score higher than the others.
    fn made_up(count: usize, seed: u64) -> Vec<Labelled> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut question = || {
            let relevant = random.random_range(0..20);
            let one = |place: usize, random: &mut ChaCha8Rng| {
                let lift = if place == relevant { 0.4 } else { 0.0 };
                let fused = (random.random::<f32>() * 0.6 + lift).min(1.0);
                BlendEvidence {
                    fused,
                    logit: Some(fused * 6.0 - 4.0 + random.random::<f32>()),
                    ..BlendEvidence::default()
                }
            };
            Labelled {
                evidence: (0..20).map(|place| one(place, &mut random)).collect(),
                relevant: (0..20).map(|place| place == relevant).collect(),
            }
        };
        (0..count).map(|_| question()).collect()
    }

    #[test]
    fn the_miss_rate_on_unseen_questions_stays_within_epsilon() {
        let questions = made_up(600, 7);
        let questions: Vec<&Labelled> = questions.iter().collect();
        let halves: Vec<bool> = (0..600).map(|place| place % 2 == 0).collect();
        let mut larger = f64::INFINITY;
        for score in score_minimum(&questions, &halves) {
            assert!(score.miss_rate <= score.miss_limit, "{score:?}");
            assert!(
                score.mean_units < larger && score.feasible > 0.99,
                "{score:?}"
            );
            larger = score.mean_units;
        }
    }
}
